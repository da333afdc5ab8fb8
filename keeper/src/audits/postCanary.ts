/**
 * Posts one canary as any payer would, through the client library: a fresh client key, salted commitments, an ordinary
 * input, one backup. The only part of a keeper that is a payer.
 */
import { runTask, type Bill } from "@ngpu/client/runTask";
import type { Deployment } from "@ngpu/protocol/deployment";
import { codeOf, NgpuError } from "@ngpu/protocol/errors";
import { limits } from "@ngpu/protocol/limits";
import type { Account, Chain, Hex, PublicClient, Transport, WalletClient } from "viem";
import type { Canary } from "./canarySet.ts";

export interface CanaryOutcome {
  taskId: Hex;
  bill: Bill;
  /** Undefined: what was billed opens to nothing that was committed to. */
  json: unknown;
}

/**
 * Posts and waits for the bill; undefined when nothing can be said about the result, though it may have been billed.
 * `beforePost` is awaited before anything is paid, with the id that the task will have, and not called where nothing can
 * be posted.
 */
export type PostCanary = (request: {
  canary: Canary;
  beforePost: (taskId: Hex) => Promise<void>;
  signal: AbortSignal;
}) => Promise<CanaryOutcome | "refunded" | undefined>;

/** A result that was billed and is not what its receipt says; anything else may be the auditor's own trouble. */
const brokenCodes: ReadonlySet<string> = new Set(["SEAL_BROKEN", "COMMITMENT_MISMATCH", "PAYLOAD_MALFORMED"]);
/** As long as most tasks have; a larger one has three times what the weakest node class takes for it. */
const leastWithinS = 300;
const weakestCu = 1_000n;
/** As most tasks have. */
export const canaryBackups = 1;

/** Throws CHAIN_WRONG where no payment token is known. */
export function createPostCanary(options: {
  chain: PublicClient;
  wallet: WalletClient<Transport, Chain, Account>;
  deployment: Deployment;
  gatewayUrl: string;
  random: (length: number) => Uint8Array;
}): PostCanary {
  const { chain, wallet, gatewayUrl, random } = options;
  const { localUsd, deploymentBlock, ...rest } = options.deployment;
  if (localUsd === undefined) throw new NgpuError("CHAIN_WRONG", { reason: "the payment token is not known" });
  const deployment = { ...rest, localUsd, deploymentBlock: BigInt(deploymentBlock) };

  return async ({ canary, beforePost, signal }) => {
    const { modelId, manifest, parts, declared, workCums } = canary;
    const wantedS = Number((3n * workCums) / (weakestCu * 1_000n));
    const withinS = Math.min(limits.maxDeadlineS, Math.max(leastWithinS, wantedS));
    let taskId: Hex = "0x";
    let bill: Bill | undefined;
    try {
      const outcome = await runTask({
        ...{ chain, wallet, deployment, gatewayUrl, modelId, manifest, parts, declared, withinS, backups: canaryBackups, random, signal },
        onPrepared: (secrets) => beforePost(secrets.taskId),
        onEvent(event) {
          if (event.kind === "posted") ({ taskId } = event);
          if (event.kind === "settled") ({ bill } = event);
        },
      });
      return { taskId, bill: outcome.bill, json: outcome.json };
    } catch (error) {
      if (bill !== undefined && brokenCodes.has(codeOf(error))) return { taskId, bill, json: undefined };
      if (codeOf(error) === "TASK_REFUNDED") return "refunded";
      if (bill !== undefined || signal.aborted) return undefined;
      throw error;
    }
  };
}

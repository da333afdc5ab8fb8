/**
 * Finds out what a keeper must know to answer demands: whether it is bonded, and which outputs its gateways hold. What
 * a gateway was once seen to hold stays known as long as the demand stands; all else is asked again each time.
 */
import type { BlobName } from "@ngpu/protocol/blobExchange/blobs";
import { createHttpBlobs } from "@ngpu/protocol/blobExchange/httpBlobs";
import type { Deployment } from "@ngpu/protocol/deployment";
import { keeperBondsAbi } from "@ngpu/protocol/generated/abi/keeperBonds";
import type { Clock } from "@ngpu/protocol/service/clock";
import type { SigningContext } from "@ngpu/protocol/signed";
import type { Hex, LocalAccount, PublicClient } from "viem";
import type { ChainAction } from "../keeper/classifyRevert.ts";
import type { Snapshot } from "../keeper/snapshot.ts";
import { hasAttested, planDemands } from "./planDemands.ts";

export interface DemandDesk {
  /** What to do about the demands of this snapshot. Rejects when the chain does not answer. */
  answer(snapshot: Snapshot, signal: AbortSignal): Promise<ChainAction[]>;
  forget(): void;
}

/** Of one pass; further ones wait for the next. */
const mostAsked = 64;
/** A gateway that says nothing in this time holds nothing. */
const gatewayPatienceMs = 5_000;

export function createDemandDesk(options: {
  chain: PublicClient;
  deployment: Deployment;
  account: LocalAccount;
  gatewayUrls: readonly string[];
  context: SigningContext;
  clock: Clock;
}): DemandDesk {
  const { chain, deployment, account, gatewayUrls, context, clock } = options;
  const held = new Set<Hex>();
  const nowMs = (): number => clock.nowMs();
  const stores = gatewayUrls.map((gatewayUrl) =>
    createHttpBlobs({ gatewayUrl, context, signer: account, nowMs }, { patienceMs: gatewayPatienceMs }),
  );

  /** What is not reached, or not in time, is asked again as long as the demand stands. */
  async function isHeldAnywhere(blob: BlobName, signal: AbortSignal): Promise<boolean> {
    const asked = stores.map((store) => store.size({ ...blob, signal }));
    return (await Promise.allSettled(asked)).some(({ status }) => status === "fulfilled");
  }

  return {
    async answer({ demands, chainTimeS }, signal) {
      const standing = new Set(demands.map(({ taskId }) => taskId));
      for (const taskId of held) if (!standing.has(taskId)) held.delete(taskId);
      if (demands.length === 0) return [];
      const bonds = { address: deployment.keeperBonds, abi: keeperBondsAbi } as const;
      const args = [account.address] as const;
      const isBonded = (await chain.readContract({ ...bonds, functionName: "bondedIdOf", args })) !== 0;
      const open = demands.filter((demand) => {
        const isAnswered = hasAttested(demand, account.address) || held.has(demand.taskId);
        return isBonded && !isAnswered && chainTimeS < demand.answerableUntilS;
      });
      for (const { taskId, settlement } of open.slice(0, mostAsked)) {
        if (await isHeldAnywhere({ taskId, hash: settlement.outputCiphertext }, signal)) held.add(taskId);
      }
      return planDemands({ demands, chainTimeS, account: account.address, isBonded, held });
    },
    forget: () => held.clear(),
  };
}

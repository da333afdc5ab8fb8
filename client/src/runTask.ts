/**
 * The main job as an AI app does it in one call: measure, quote, permit, post, follow, and wait for the bill on chain.
 * Throws NgpuError; whatever happens after the post, the escrow ends paid or comes back by time alone.
 */
import { localUsdAbi } from "@ngpu/protocol/generated/abi/localUsd";
import { priceOracleAbi } from "@ngpu/protocol/generated/abi/priceOracle";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { paymentVaultAbi } from "@ngpu/protocol/generated/abi/paymentVault";
import { NgpuError } from "@ngpu/protocol/errors";
import type { ModelManifest } from "@ngpu/protocol/manifest";
import type { Part } from "@ngpu/protocol/sealed/payload";
import type { Signed } from "@ngpu/protocol/signed";
import type { Dimensions } from "@ngpu/protocol/work";
import type { Account, Address, Chain, Hex, PublicClient, Transport, WalletClient } from "viem";
import { followTask, type TaskEvent } from "./followTask.ts";
import { measureInput } from "./measureInput.ts";
import { noPermit, permitParams, permitTypedData } from "./permit.ts";
import { prepareTask } from "./prepareTask.ts";
import { quoteTask, type Quote } from "./quote.ts";

export interface Bill {
  nodeId: number;
  powerCu: number;
  durationMs: number;
  priceUsd6PerGcums: bigint;
  amountUsd6: bigint;
  refundUsd6: bigint;
  txHash: Hex;
  blockNumber: bigint;
}

export interface TaskOutcome {
  taskId: Hex;
  quote: Quote;
  postTx: Hex;
  receipt: Signed<"receipt">;
  json: unknown;
  bill: Bill;
}

export interface RunTaskOptions {
  chain: PublicClient;
  wallet: WalletClient<Transport, Chain, Account>;
  deployment: {
    taskEscrow: Address;
    nodeRegistry: Address;
    paymentVault: Address;
    priceOracle: Address;
    localUsd: Address;
    deploymentBlock: bigint;
  };
  gatewayUrl: string;
  modelId: Hex;
  manifest: ModelManifest;
  parts: Part[];
  declared?: Dimensions;
  backups?: number;
  /** Seconds of chain time within which the result is useful. */
  withinS?: number;
  onEvent?: (event: TaskEvent | { kind: "posted"; taskId: Hex; postTx: Hex; quote: Quote } | { kind: "settled"; bill: Bill }) => void;
  random: (length: number) => Uint8Array;
  signal?: AbortSignal;
}

export async function runTask(options: RunTaskOptions): Promise<TaskOutcome> {
  const { chain, wallet, deployment, manifest, modelId, parts, random, onEvent = () => undefined } = options;
  const chainId = wallet.chain.id;
  const payer = wallet.account.address;
  const { dimensions } = measureInput({ manifest, parts, declared: options.declared ?? {} });
  const oracle = { address: deployment.priceOracle, abi: priceOracleAbi } as const;
  const [priceUsd6PerGcums] = await chain.readContract({ ...oracle, functionName: "quote" });
  const quote = quoteTask({ manifest, dimensions, priceUsd6PerGcums });
  const { timestamp } = await chain.getBlock();
  const deadline = Number(timestamp) + (options.withinS ?? 300);
  const prepared = prepareTask({
    chainId,
    escrow: deployment.taskEscrow,
    payer,
    manifest,
    modelId,
    dimensions,
    parts,
    quote,
    maxPriceUsd6PerGcums: priceUsd6PerGcums,
    deadline,
    backups: options.backups ?? 1,
    random,
  });
  const permit = await fundingPermit(options, quote.maxAmountUsd6, BigInt(deadline));
  const post = { address: deployment.taskEscrow, abi: taskEscrowAbi, functionName: "post", args: [prepared.params, permit] } as const;
  const { request } = await chain.simulateContract({ ...post, account: wallet.account });
  const postTx = await wallet.writeContract(request);
  await chain.waitForTransactionReceipt({ hash: postTx });
  onEvent({ kind: "posted", taskId: prepared.taskId, postTx, quote });

  const ended = new AbortController();
  const signal = AbortSignal.any([ended.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  let outcome: { receipt: Signed<"receipt">; json: unknown } | undefined;
  const following = followTask({
    gatewayUrl: options.gatewayUrl,
    chain,
    chainId,
    deployment,
    secrets: prepared.secrets,
    sealedInput: prepared.sealedInput,
    random,
    signal,
    onEvent: (event) => {
      if (event.kind === "result") outcome = { receipt: event.receipt, json: event.json };
      onEvent(event);
    },
  });
  try {
    const bill = await waitForBill(options, prepared.taskId, signal);
    onEvent({ kind: "settled", bill });
    const patience = setTimeout(() => ended.abort(), resultPatienceMs);
    await following;
    clearTimeout(patience);
    if (outcome === undefined) throw new NgpuError("BLOB_UNKNOWN", { taskId: prepared.taskId });
    return { taskId: prepared.taskId, quote, postTx, ...outcome, bill };
  } finally {
    ended.abort();
  }
}

/** A permit for what the payer's balance in the vault does not cover; none when it does. */
async function fundingPermit(options: RunTaskOptions, maxAmountUsd6: bigint, deadline: bigint) {
  const { chain, wallet, deployment } = options;
  const owner = wallet.account.address;
  const vault = { address: deployment.paymentVault, abi: paymentVaultAbi } as const;
  const { availableUsd6 } = await chain.readContract({ ...vault, functionName: "accountOf", args: [owner] });
  if (availableUsd6 >= maxAmountUsd6) return noPermit;
  const token = { address: deployment.localUsd, abi: localUsdAbi } as const;
  const [nonce, name] = await Promise.all([
    chain.readContract({ ...token, functionName: "nonces", args: [owner] }),
    chain.readContract({ ...token, functionName: "name" }),
  ]);
  const value = maxAmountUsd6 - availableUsd6;
  const permit = { token: deployment.localUsd, tokenName: name, tokenVersion: "1", chainId: wallet.chain.id, owner, spender: deployment.paymentVault };
  const signature = await wallet.signTypedData(permitTypedData({ ...permit, value, nonce, deadline }));
  return permitParams({ value, deadline, signature });
}

async function waitForBill(options: RunTaskOptions, taskId: Hex, signal: AbortSignal): Promise<Bill> {
  const { chain, deployment } = options;
  const query = { address: deployment.taskEscrow, abi: taskEscrowAbi, fromBlock: deployment.deploymentBlock, args: { taskId }, strict: true } as const;
  while (!signal.aborted) {
    const [settled] = await chain.getContractEvents({ ...query, eventName: "TaskSettled" });
    if (settled !== undefined) {
      const { nodeId, powerCu, durationMs, priceUsd6PerGcums, amountUsd6, refundUsd6 } = settled.args;
      const bill = { nodeId, powerCu, durationMs, priceUsd6PerGcums, amountUsd6, refundUsd6 };
      return { ...bill, txHash: settled.transactionHash, blockNumber: settled.blockNumber };
    }
    const [refunded] = await chain.getContractEvents({ ...query, eventName: "TaskRefunded" });
    if (refunded !== undefined) throw new NgpuError("TASK_REFUNDED", { taskId, refundUsd6: refunded.args.refundUsd6 });
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  throw new NgpuError("TASK_ABANDONED", { taskId });
}

const pollMs = 200;
/** The bill is on chain and the output was stored before it, so the result is at most a fetch away. */
const resultPatienceMs = 30_000;

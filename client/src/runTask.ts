/**
 * The main job as an AI app does it in one call: measure, quote, permit, post, follow, and wait for the bill on chain.
 * Throws NgpuError alone, with its cause; a contract's refusal is CONTRACT_REFUSED with `contractError` and `text` in its fields.
 * Whatever happens after the post, the escrow ends paid or comes back by time alone.
 */
import type { OpenBlobs } from "@ngpu/protocol/blobExchange/blobs";
import { errorsAbi } from "@ngpu/protocol/generated/abi/errors";
import { localUsdAbi } from "@ngpu/protocol/generated/abi/localUsd";
import { priceOracleAbi } from "@ngpu/protocol/generated/abi/priceOracle";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { paymentVaultAbi } from "@ngpu/protocol/generated/abi/paymentVault";
import { codeOf, NgpuError } from "@ngpu/protocol/errors";
import type { MeetNode } from "@ngpu/protocol/harq/direct/directLink";
import { limits } from "@ngpu/protocol/limits";
import type { ModelManifest } from "@ngpu/protocol/manifest";
import type { Part } from "@ngpu/protocol/sealed/payload";
import type { Signed } from "@ngpu/protocol/signed";
import { readTask } from "@ngpu/protocol/readTask";
import type { TaskLogOf } from "@ngpu/protocol/taskLogs";
import { isSettled, taskStatus } from "@ngpu/protocol/taskStatus";
import { settledReceipt } from "@ngpu/protocol/taskWords";
import type { Dimensions } from "@ngpu/protocol/work";
import {
  decodeFunctionData,
  type Account,
  type Address,
  type Chain,
  type Hex,
  type PublicClient,
  type TransactionReceipt,
  type Transport,
  type WalletClient,
} from "viem";
import { clientError } from "./clientError.ts";
import { fetchRoster, type OnlineNode } from "./fetchRoster.ts";
import { followTask, type TaskEvent } from "./followTask.ts";
import { measureInput } from "./measureInput.ts";
import { openOutput } from "./openOutput.ts";
import { noPermit, permitParams, permitTypedData } from "./permit.ts";
import { prepareTask, type PreparedTask } from "./prepareTask.ts";
import { quoteTask, type Quote } from "./quote.ts";
import { requireGas } from "./requireGas.ts";
import { requireManifest } from "./requireManifest.ts";
import { sleep } from "./sleep.ts";
import type { TaskSecrets } from "./taskSecrets.ts";

export interface Bill {
  nodeId: number;
  powerCu: number;
  durationMs: number;
  priceUsd6PerGcums: bigint;
  amountUsd6: bigint;
  /** Of all backups that held the input ready. The task cost amount and standby. */
  standbyUsd6: bigint;
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
  /** Posts although too few nodes that are online serve the model now: the task waits for them, at most until its deadline. */
  evenIfUnserved?: boolean;
  /** Seconds of chain time within which the result is useful. */
  withinS?: number;
  onEvent?: (event: TaskEvent | { kind: "posted"; taskId: Hex; postTx: Hex; quote: Quote } | { kind: "settled"; bill: Bill }) => void;
  /** Gets what opens the result before anything is paid; who keeps it can open the result after a crash. */
  onPrepared?: (secrets: TaskSecrets) => void | Promise<void>;
  random: (length: number) => Uint8Array;
  /** How input and output travel; over HTTP where it is not given. */
  openBlobs?: OpenBlobs | undefined;
  /** How the node that executes is met beside the gateway; not at all where it is not given. */
  meetNode?: MeetNode | undefined;
  signal?: AbortSignal;
}

export async function runTask(options: RunTaskOptions): Promise<TaskOutcome> {
  try {
    return await runWhole(options);
  } catch (error) {
    throw clientError(error);
  }
}

async function runWhole(options: RunTaskOptions): Promise<TaskOutcome> {
  const { chain, wallet, deployment, manifest, modelId, parts, random, onEvent = () => undefined } = options;
  const chainId = wallet.chain.id;
  const payer = wallet.account.address;
  requireManifest({ modelId, manifest });
  const { dimensions } = measureInput({ manifest, parts, declared: options.declared ?? {} });
  const oracle = { address: deployment.priceOracle, abi: [...priceOracleAbi, ...errorsAbi] } as const;
  const [[priceUsd6PerGcums], roster] = await Promise.all([
    chain.readContract({ ...oracle, functionName: "quote" }),
    options.evenIfUnserved === true ? undefined : knownRoster(options),
  ]);
  const { backups = 1 } = options;
  const quote = quoteTask({ manifest, dimensions, priceUsd6PerGcums, backups });
  const { timestamp } = await chain.getBlock();
  const deadline = Number(timestamp) + (options.withinS ?? defaultWithinS);
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
    backups,
    ...(roster === undefined ? {} : { roster }),
    random,
  });
  const permit = await fundingPermit(options, quote.maxAmountUsd6, BigInt(deadline));
  // A post may be reverted by an error that the vault or the token declares.
  const abi = [...taskEscrowAbi, ...errorsAbi] as const;
  const args = [prepared.params, permit] as const;
  const post = { address: deployment.taskEscrow, abi, functionName: "post", args, account: wallet.account } as const;
  const { request } = await chain.simulateContract(post);
  await requireGas({ chain, request: post });
  await options.onPrepared?.(prepared.secrets);
  const { taskId } = prepared;
  const postTx = await wallet.writeContract(request).catch((cause: unknown) => {
    const error = clientError(cause, "CHAIN_REFUSED");
    // It may have been sent before the RPC went silent, so nobody may believe that nothing was spent.
    throw error.code === "CHAIN_UNREACHABLE" ? new NgpuError("TASK_ABANDONED", { taskId }, { cause }) : error;
  });
  const { status, blockNumber: fromBlock } = await mined({ chain, taskId, postTx });
  if (status !== "success") {
    await chain.simulateContract({ ...post, blockNumber: fromBlock });
    throw new NgpuError("TASK_UNKNOWN", { taskId, postTx, reason: "the post was reverted" });
  }
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
    openBlobs: options.openBlobs,
    meetNode: options.meetNode,
    signal,
    onEvent: (event) => {
      if (event.kind === "result") outcome = { receipt: event.receipt, json: event.json };
      onEvent(event);
    },
  });
  try {
    const { bill, settled } = await waitForBill(options, { taskId: prepared.taskId, fromBlock, signal });
    onEvent({ kind: "settled", bill });
    await Promise.race([following, sleep(resultPatienceMs, signal)]);
    if (outcome === undefined) {
      // The receipt never came, perhaps because the gateway was restarted after the bill: the chain names the output too.
      const opened = await openBilled(options, { secrets: prepared.secrets, settled, signal });
      const receipt = await receiptOf(options, { settled, prepared });
      onEvent({ kind: "result", receipt, ...opened });
      outcome = { receipt, json: opened.json };
    }
    return { taskId: prepared.taskId, quote, postTx, ...outcome, bill };
  } finally {
    ended.abort();
  }
}

/** Throws TASK_ABANDONED when the post is not seen to be mined. */
async function mined(post: { chain: PublicClient; taskId: Hex; postTx: Hex }): Promise<TransactionReceipt> {
  const { chain, taskId, postTx } = post;
  try {
    return await chain.waitForTransactionReceipt({ hash: postTx });
  } catch (cause) {
    throw new NgpuError("TASK_ABANDONED", { taskId, postTx }, { cause });
  }
}

/** A gateway that is away says nothing about who serves, and a post can wait for it. */
async function knownRoster({ gatewayUrl, signal }: RunTaskOptions): Promise<OnlineNode[] | undefined> {
  return fetchRoster({ gatewayUrl, ...(signal === undefined ? {} : { signal }) }).catch(() => undefined);
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
  const signing = wallet.signTypedData(permitTypedData({ ...permit, value, nonce, deadline }));
  const signature = await signing.catch((cause: unknown) => {
    throw clientError(cause, "CHAIN_REFUSED");
  });
  return permitParams({ value, deadline, signature });
}

/** Money is at stake, so a chain that does not answer for a while is asked again; only time ends the waiting. */
async function waitForBill(
  options: RunTaskOptions,
  task: { taskId: Hex; fromBlock: bigint; signal: AbortSignal },
): Promise<{ bill: Bill; settled: Settled }> {
  const { chain, deployment, withinS = defaultWithinS } = options;
  const { taskId, fromBlock, signal } = task;
  const escrow = { address: deployment.taskEscrow, abi: taskEscrowAbi } as const;
  const untilMs = performance.now() + (withinS + limits.settleGraceS) * 1_000 + expiryPatienceMs;
  while (!signal.aborted && performance.now() < untilMs) {
    try {
      const { status } = await chain.readContract({ ...escrow, functionName: "stateOf", args: [taskId] });
      if (status === taskStatus.refunded || status === taskStatus.cancelled) throw new NgpuError("TASK_REFUNDED", { taskId });
      if (isSettled(status)) {
        const { settled } = await readTask({ chain, escrow: deployment.taskEscrow, taskId, firstBlock: fromBlock });
        if (settled !== undefined) return { bill: billOf(settled), settled };
      }
    } catch (error) {
      if (codeOf(error) === "TASK_REFUNDED") throw error;
    }
    await sleep(pollMs, signal);
  }
  throw new NgpuError("TASK_ABANDONED", { taskId });
}

function billOf(settled: Settled): Bill {
  const { nodeId, powerCu, durationMs, priceUsd6PerGcums, amountUsd6, standbyUsd6, refundUsd6 } = settled.args;
  const bill = { nodeId, powerCu, durationMs, priceUsd6PerGcums, amountUsd6, standbyUsd6, refundUsd6 };
  return { ...bill, txHash: settled.transactionHash, blockNumber: settled.blockNumber };
}

/** The billed output by the chain's word alone; a gateway that is away gets some time to come back. */
async function openBilled(options: RunTaskOptions, task: { secrets: TaskSecrets; settled: Settled; signal: AbortSignal }) {
  const { gatewayUrl, wallet, deployment, openBlobs } = options;
  const context = { chainId: wallet.chain.id, verifyingContract: deployment.taskEscrow };
  const untilMs = performance.now() + billedPatienceMs;
  for (;;) {
    try {
      const { secrets, settled, signal } = task;
      return await openOutput({ gatewayUrl, context, secrets, output: settled.args, nowMs: Date.now, openBlobs, signal });
    } catch (error) {
      const mayHelp = error instanceof NgpuError && error.entry.retryable && performance.now() < untilMs;
      if (!mayHelp || task.signal.aborted) throw error;
    }
    await sleep(1_000, task.signal);
  }
}

/** The receipt as it was settled: from the call itself, or, when another contract made the call, as far as the event tells. */
async function receiptOf(options: RunTaskOptions, task: { settled: Settled; prepared: PreparedTask }): Promise<Signed<"receipt">> {
  const { settled, prepared } = task;
  try {
    const { input } = await options.chain.getTransaction({ hash: settled.transactionHash });
    const call = decodeFunctionData({ abi: taskEscrowAbi, data: input });
    if (call.functionName === "settle") return { message: call.args[2], signature: call.args[3] };
  } catch {
    // The result is opened already; the signature is not worth losing it.
  }
  return { message: settledReceipt({ posted: prepared.params, settled: settled.args }), signature: "0x" };
}

type Settled = TaskLogOf<"TaskSettled">;

const pollMs = 200;
const defaultWithinS = 300;
/** A task whose time is over is refunded by whoever asks for it first; so long somebody may take. */
const expiryPatienceMs = 120_000;
/** The bill is on chain and the output was stored before it, so the result is at most a fetch away. */
const resultPatienceMs = 5_000;
const billedPatienceMs = 30_000;

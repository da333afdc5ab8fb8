/**
 * Follows one task from the payer's side: uploads the sealed input, wraps the task key for the assigned nodes, reports every signed
 * message, and opens the result. Reconnects by itself; every step is harmless to repeat, so a reload just calls it again.
 * Nothing a gateway says is believed: bindings, accepts and receipts are checked against the operator that the chain names, and
 * who is assigned against the chain's digest.
 */
import type { OpenBlobs } from "@ngpu/protocol/blobExchange/blobs";
import { createHttpBlobs } from "@ngpu/protocol/blobExchange/httpBlobs";
import { codeOf, NgpuError, type ErrorCode } from "@ngpu/protocol/errors";
import type { MeetNode } from "@ngpu/protocol/harq/direct/directLink";
import { readTask } from "@ngpu/protocol/readTask";
import type { Payload } from "@ngpu/protocol/sealed/payload";
import { wrapTaskKey } from "@ngpu/protocol/sealed/wrap";
import { recoverSigner, signMessage, type Signed } from "@ngpu/protocol/signed";
import { isOver } from "@ngpu/protocol/taskStatus";
import { receiptStatus } from "@ngpu/protocol/typedData";
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import type { FrameOf } from "@ngpu/protocol/wire";
import { hexToBytes, isAddressEqual, toHex, type Address, type Hex, type PublicClient } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { answered } from "./answered.ts";
import { createDirectTask, type DirectTask } from "./direct/directTask.ts";
import { hedgedBlobs } from "./direct/hedgedBlobs.ts";
import { openLink, type Link } from "./link.ts";
import { openOutput } from "./openOutput.ts";
import { sleep } from "./sleep.ts";
import { taskBlobs, type TaskBlobsOptions } from "./taskBlobs.ts";
import type { TaskSecrets } from "./taskSecrets.ts";

export type TaskEvent =
  | { kind: "connection"; state: "connecting" | "open" | "lost" }
  | { kind: "uploaded" }
  | { kind: "wrapped"; assignment: number; nodeIds: number[] }
  | { kind: "accepted"; nodeId: number; assignment: number; timeMs: number }
  | { kind: "progress"; nodeId: number; attempt: number; permille: number }
  /** The link straight to the node: opened, refused, or what went over it. */
  | { kind: "direct"; nodeId: number; state: "open" | "input" | "output" }
  | { kind: "direct"; nodeId: number; state: "failed"; code: ErrorCode; error: unknown }
  | { kind: "receipt"; receipt: Signed<"receipt">; detail: string }
  | { kind: "result"; receipt: Signed<"receipt">; payload: Payload; json: unknown }
  | { kind: "problem"; code: ErrorCode; error: unknown };

export interface FollowOptions {
  gatewayUrl: string;
  chain: PublicClient;
  chainId: number;
  deployment: { taskEscrow: Address; nodeRegistry: Address; deploymentBlock: bigint };
  secrets: TaskSecrets;
  /** Needed until a gateway has it. */
  sealedInput?: Uint8Array;
  onEvent: (event: TaskEvent) => void;
  signal: AbortSignal;
  random: (length: number) => Uint8Array;
  nowMs?: () => number;
  /** How input and output travel; over HTTP where it is not given. */
  openBlobs?: OpenBlobs | undefined;
  /** How the node that executes is met beside the gateway; not at all where it is not given. */
  meetNode?: MeetNode | undefined;
  /** For how long a link may say nothing before it is replaced. */
  mostSilentMs?: number;
}

const retryMs = { first: 250, most: 5_000 };
/** How often an assignment that the gateway knows already is looked for. */
const mostLooks = 40;

/** Resolves when the result was delivered or the signal aborts; never rejects. */
export async function followTask(options: FollowOptions): Promise<void> {
  const { onEvent, signal } = options;
  const delivered = new AbortController();
  const until = AbortSignal.any([signal, delivered.signal]);
  const following: Following = { ...options, accepted: new Map(), delivered };
  const direct = options.meetNode && directTask(following, options.meetNode, until);
  if (options.sealedInput !== undefined) void uploadUntilStored(options, options.sealedInput, until);
  let waitMs = retryMs.first;
  let wasSilent = false;
  while (!until.aborted) {
    // A silent link is replaced without a word, unless there is nobody any more.
    if (!wasSilent) onEvent({ kind: "connection", state: "connecting" });
    try {
      const link = await openLink({ ...options, context: contextOf(options), signal: until });
      if (!wasSilent) onEvent({ kind: "connection", state: "open" });
      wasSilent = false;
      await serveLink({ ...following, direct }, link);
      waitMs = retryMs.first;
      wasSilent = link.isSilent();
      if (wasSilent) continue;
    } catch (error) {
      wasSilent = false;
      report(options, error, until);
    }
    if (until.aborted) return;
    onEvent({ kind: "connection", state: "lost" });
    await sleep(waitMs, until);
    waitMs = Math.min(waitMs * 2, retryMs.most);
  }
}

async function uploadUntilStored(options: FollowOptions, sealedInput: Uint8Array, until: AbortSignal): Promise<void> {
  const { secrets, onEvent } = options;
  const { taskId, inputCiphertext: hash } = secrets;
  const blobs = taskBlobs(blobsOptions(options));
  let waitMs = retryMs.first;
  while (!until.aborted) {
    try {
      await blobs.put({ taskId, hash, bytes: sealedInput, signal: until });
      onEvent({ kind: "uploaded" });
      return;
    } catch (error) {
      // The gateway may see the post a moment later than we do; anything retryable is tried again.
      const retryable = isRetryable(error);
      if (!retryable) return report(options, error, until);
    }
    await sleep(waitMs, until);
    waitMs = Math.min(waitMs * 2, retryMs.most);
  }
}

/** What is known of a task while it is followed, across connections. */
interface Following extends FollowOptions {
  /** Aborts when that node has the input. */
  accepted: Map<number, AbortController>;
  delivered: AbortController;
  direct?: DirectTask | undefined;
}

function directTask(options: Following, meetNode: MeetNode, signal: AbortSignal): DirectTask {
  const { gatewayUrl, secrets, sealedInput, onEvent } = options;
  return createDirectTask({
    ...{ meetNode, gatewayUrl, secrets, signal, context: contextOf(options), nowMs: () => now(options) },
    async primary() {
      const { chain, deployment } = options;
      const query = { chain, escrow: deployment.taskEscrow, taskId: secrets.taskId, firstBlock: deployment.deploymentBlock };
      return (await readTask(query)).assigned?.seats[0]?.nodeId;
    },
    operatorOf: (nodeId) => operatorOf(options, nodeId),
    onOpen(nodeId, blobs) {
      onEvent({ kind: "direct", nodeId, state: "open" });
      const has = acceptedBy(options, nodeId);
      if (sealedInput === undefined || has.signal.aborted) return;
      // The gateway gets it too, for backups: what comes first is taken, and what fails here is not missed.
      const until = AbortSignal.any([signal, has.signal]);
      blobs.put({ taskId: secrets.taskId, hash: secrets.inputCiphertext, bytes: sealedInput, signal: until }).then(
        () => onEvent({ kind: "direct", nodeId, state: "input" }),
        () => undefined,
      );
    },
    onFailure: (nodeId, code, error) => onEvent({ kind: "direct", nodeId, state: "failed", code, error }),
  });
}

function acceptedBy({ accepted }: Following, nodeId: number): AbortController {
  const known = accepted.get(nodeId) ?? new AbortController();
  accepted.set(nodeId, known);
  return known;
}

async function serveLink(options: Following, link: Link): Promise<void> {
  for await (const frame of link.frames) {
    if (options.direct?.take(frame, (answer) => link.send(answer)) === true) continue;
    try {
      if (frame.t === "nodes") await wrapFor(options, link, frame);
      else if (frame.t === "accept" && (await isSignedByNode(options, "accept", frame.accept))) {
        const { nodeId, assignment, timeMs } = frame.accept.message;
        acceptedBy(options, nodeId).abort();
        options.onEvent({ kind: "accepted", nodeId, assignment, timeMs: Number(timeMs) });
      } else if (frame.t === "progress" && (await isSignedByNode(options, "progress", frame.progress))) {
        const { nodeId, attempt, permille } = frame.progress.message;
        options.onEvent({ kind: "progress", nodeId, attempt, permille });
      } else if (frame.t === "receipt" && (await isSignedByNode(options, "receipt", frame.receipt))) {
        options.onEvent({ kind: "receipt", receipt: frame.receipt, detail: frame.detail });
        if (frame.receipt.message.status === receiptStatus.succeeded) {
          await openResult(options, frame.receipt);
          options.delivered.abort();
          return;
        }
      }
    } catch (error) {
      // The gateway tells nodes and receipts again to a new connection, so what failed for a while is tried again.
      if ((frame.t === "receipt" || frame.t === "nodes") && isRetryable(error)) {
        link.close();
        throw error;
      }
      report(options, error, options.signal);
    }
  }
}

async function wrapFor(options: FollowOptions, link: Link, frame: FrameOf<"nodes">): Promise<void> {
  const { secrets, random, onEvent } = options;
  const { taskId } = secrets;
  const seats = await seatsOf(options, frame.assignment);
  const nodeIds: number[] = [];
  for (const binding of frame.bindings) {
    const { nodeId, publicKey } = binding.message;
    if (!seats.includes(nodeId) || !isCurrent(options, binding) || !(await isSignedByOperator(options, binding))) continue;
    const target = { taskId, assignment: frame.assignment, nodeId };
    const wrapped = wrapTaskKey({ taskKey: hexToBytes(secrets.taskKey), nodePublicKey: hexToBytes(publicKey), target, random });
    const message = {
      ...target,
      ephemeralPublicKey: toHex(wrapped.ephemeralPublicKey),
      wrappedKey: toHex(wrapped.wrappedKey),
    };
    const signer = privateKeyToAccount(secrets.clientPrivateKey);
    link.send({ t: "wrap", wrap: await signMessage({ kind: "keyWrap", message, context: contextOf(options), signer }) });
    nodeIds.push(nodeId);
  }
  if (nodeIds.length > 0) onEvent({ kind: "wrapped", assignment: frame.assignment, nodeIds });
}

/** The nodes of that assignment by the chain's word; none when another one stands. */
async function seatsOf(options: FollowOptions, assignment: number): Promise<number[]> {
  const { chain, deployment, secrets, signal } = options;
  const { taskId } = secrets;
  const query = { chain, escrow: deployment.taskEscrow, taskId, firstBlock: deployment.deploymentBlock };
  // The gateway's RPC may be a block ahead of ours, and it says every assignment only once to a connection.
  for (let look = 0; ; look += 1) {
    const isLast = look >= mostLooks || signal.aborted;
    try {
      const { state, assigned } = await readTask(query);
      if (state.assignment > assignment || isOver(state.status)) return [];
      if (state.assignment === assignment) return (assigned?.seats ?? []).map(({ nodeId }) => nodeId);
      if (isLast) throw new NgpuError("TASK_UNKNOWN", { taskId, assignment });
    } catch (error) {
      const mayAppear = codeOf(error) === "TASK_UNKNOWN" || codeOf(error) === "TASK_WORDS_MISMATCH";
      if (!mayAppear || isLast) throw error;
    }
    await sleep(retryMs.first, signal);
  }
}

async function openResult(options: Following, receipt: Signed<"receipt">): Promise<void> {
  const { nodeId } = receipt.message;
  const { openBlobs, ...plain } = blobsOptions(options);
  const gateway = openBlobs ?? createHttpBlobs;
  const opened = await openOutput({
    ...plain,
    openBlobs: (of) =>
      hedgedBlobs({
        node: options.direct?.blobsOf(nodeId),
        gateway: gateway(of),
        onDirect: () => options.onEvent({ kind: "direct", nodeId, state: "output" }),
      }),
    output: receipt.message,
    signal: options.signal,
  });
  options.onEvent({ kind: "result", receipt, ...opened });
}

/** True when the node's operator of now signed it: a key that was retired, perhaps because it leaked, gets no task's key. */
async function isSignedByOperator(options: FollowOptions, binding: Signed<"transportBinding">): Promise<boolean> {
  const signer = await recoverSigner({ kind: "transportBinding", signed: binding, context: contextOf(options) });
  if (signer === undefined) return false;
  return isAddressEqual(await operatorOf(options, binding.message.nodeId), signer);
}

async function operatorOf({ chain, deployment }: FollowOptions, nodeId: number): Promise<Address> {
  const request = { address: deployment.nodeRegistry, abi: nodeRegistryAbi, functionName: "node" } as const;
  const { operator } = await answered(chain.readContract({ ...request, args: [nodeId] }));
  return operator;
}

type NodeMessage = "accept" | "progress" | "receipt";

/** True when the signer is, or once was, the operator of the node that the message names, by the chain's word. */
async function isSignedByNode<K extends NodeMessage>(options: FollowOptions, kind: K, signed: Signed<K>): Promise<boolean> {
  const { chain, deployment } = options;
  const signer = await recoverSigner({ kind, signed, context: contextOf(options) });
  if (signer === undefined) return false;
  const request = { address: deployment.nodeRegistry, abi: nodeRegistryAbi, functionName: "nodeOfOperator" } as const;
  const nodeId = await answered(chain.readContract({ ...request, args: [signer] }));
  return nodeId === signed.message.nodeId;
}

function isCurrent(options: FollowOptions, binding: Signed<"transportBinding">): boolean {
  const nowS = BigInt(Math.floor(now(options) / 1_000));
  return binding.message.expiry > nowS && binding.message.notBefore <= nowS + 30n;
}

function blobsOptions(options: FollowOptions): TaskBlobsOptions & { secrets: TaskSecrets } {
  const { gatewayUrl, secrets, openBlobs } = options;
  return { gatewayUrl, context: contextOf(options), secrets, nowMs: () => now(options), openBlobs };
}

function contextOf(options: FollowOptions) {
  return { chainId: options.chainId, verifyingContract: options.deployment.taskEscrow };
}

function now(options: FollowOptions): number {
  return options.nowMs?.() ?? Date.now();
}

function isRetryable(error: unknown): boolean {
  return error instanceof NgpuError && error.entry.retryable;
}

function report(options: FollowOptions, error: unknown, until: AbortSignal): void {
  if (!until.aborted) options.onEvent({ kind: "problem", code: codeOf(error), error });
}

/**
 * Follows one task from the payer's side: uploads the sealed input, wraps the task key for the assigned nodes, reports every signed
 * message, and opens the result. Reconnects by itself; every step is harmless to repeat, so a reload just calls it again.
 * Nothing a gateway says is believed: bindings, accepts and receipts are checked against the operator that the chain names.
 */
import { codeOf, NgpuError, type ErrorCode } from "@ngpu/protocol/errors";
import { decodePayload, type Payload } from "@ngpu/protocol/sealed/payload";
import { open } from "@ngpu/protocol/sealed/seal";
import { wrapTaskKey } from "@ngpu/protocol/sealed/wrap";
import { recoverSigner, signMessage, type Signed } from "@ngpu/protocol/signed";
import { receiptStatus } from "@ngpu/protocol/typedData";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import type { FrameOf } from "@ngpu/protocol/wire";
import { hexToBytes, toHex, type Address, type Hex, type PublicClient } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { getBlob, putBlob } from "./gatewayClient.ts";
import { openLink, type Link } from "./link.ts";
import type { TaskSecrets } from "./taskSecrets.ts";

export type TaskEvent =
  | { kind: "connection"; state: "connecting" | "open" | "lost" }
  | { kind: "uploaded" }
  | { kind: "wrapped"; assignment: number; nodeIds: number[] }
  | { kind: "accepted"; nodeId: number; assignment: number; timeMs: number }
  | { kind: "progress"; nodeId: number; attempt: number; permille: number }
  | { kind: "receipt"; receipt: Signed<"receipt">; detail: string }
  | { kind: "result"; receipt: Signed<"receipt">; payload: Payload; json: unknown }
  | { kind: "problem"; code: ErrorCode; error: unknown };

export interface FollowOptions {
  gatewayUrl: string;
  chain: PublicClient;
  chainId: number;
  deployment: { taskEscrow: Address; nodeRegistry: Address };
  secrets: TaskSecrets;
  /** Needed until a gateway has it. */
  sealedInput?: Uint8Array;
  onEvent: (event: TaskEvent) => void;
  signal: AbortSignal;
  random: (length: number) => Uint8Array;
  nowMs?: () => number;
}

const retryMs = { first: 250, most: 5_000 };

/** Resolves when the result was delivered or the signal aborts; never rejects. */
export async function followTask(options: FollowOptions): Promise<void> {
  const { onEvent, signal } = options;
  const delivered = new AbortController();
  const until = AbortSignal.any([signal, delivered.signal]);
  if (options.sealedInput !== undefined) void uploadUntilStored(options, options.sealedInput, until);
  let waitMs = retryMs.first;
  while (!until.aborted) {
    onEvent({ kind: "connection", state: "connecting" });
    try {
      const link = await openLink({ ...options, context: contextOf(options), signal: until });
      onEvent({ kind: "connection", state: "open" });
      waitMs = retryMs.first;
      await serveLink(options, link, delivered);
    } catch (error) {
      report(options, error, until);
    }
    if (until.aborted) return;
    onEvent({ kind: "connection", state: "lost" });
    await sleep(waitMs, until);
    waitMs = Math.min(waitMs * 2, retryMs.most);
  }
}

async function uploadUntilStored(options: FollowOptions, sealedInput: Uint8Array, until: AbortSignal): Promise<void> {
  const { gatewayUrl, secrets, onEvent } = options;
  let waitMs = retryMs.first;
  while (!until.aborted) {
    try {
      const blob = { ...blobOf(options, secrets.inputCiphertext), gatewayUrl, bytes: sealedInput, signal: until };
      await putBlob(blob);
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

async function serveLink(options: FollowOptions, link: Link, delivered: AbortController): Promise<void> {
  for await (const frame of link.frames) {
    try {
      if (frame.t === "nodes") await wrapFor(options, link, frame);
      else if (frame.t === "accept" && (await isSignedByNode(options, "accept", frame.accept))) {
        const { nodeId, assignment, timeMs } = frame.accept.message;
        options.onEvent({ kind: "accepted", nodeId, assignment, timeMs: Number(timeMs) });
      } else if (frame.t === "progress" && (await isSignedByNode(options, "progress", frame.progress))) {
        const { nodeId, attempt, permille } = frame.progress.message;
        options.onEvent({ kind: "progress", nodeId, attempt, permille });
      } else if (frame.t === "receipt" && (await isSignedByNode(options, "receipt", frame.receipt))) {
        options.onEvent({ kind: "receipt", receipt: frame.receipt, detail: frame.detail });
        if (frame.receipt.message.status === receiptStatus.succeeded) {
          await openResult(options, frame.receipt);
          delivered.abort();
          return;
        }
      }
    } catch (error) {
      report(options, error, options.signal);
      // The gateway replays the receipt to a new connection, so a result that could not be fetched is tried again.
      if (frame.t === "receipt" && isRetryable(error)) return link.close();
    }
  }
}

async function wrapFor(options: FollowOptions, link: Link, frame: FrameOf<"nodes">): Promise<void> {
  const { chain, deployment, secrets, random, onEvent } = options;
  const { taskId } = secrets;
  const task = await chain.readContract({ address: deployment.taskEscrow, abi: taskEscrowAbi, functionName: "task", args: [taskId] });
  if (task.assignment !== frame.assignment) return;
  const nodeIds: number[] = [];
  for (const binding of frame.bindings) {
    const { nodeId, publicKey } = binding.message;
    const assigned = nodeId !== 0 && (nodeId === task.primary || nodeId === task.backup);
    if (!assigned || !isCurrent(options, binding) || !(await isSignedByNode(options, "transportBinding", binding))) continue;
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

async function openResult(options: FollowOptions, receipt: Signed<"receipt">): Promise<void> {
  const { gatewayUrl, secrets, signal } = options;
  const { nodeId, assignment, attempt, outputCiphertext, outputCommitment } = receipt.message;
  const sealed = await getBlob({ ...blobOf(options, outputCiphertext), gatewayUrl, signal });
  const context = { kind: "output", taskId: secrets.taskId, nodeId, assignment, attempt } as const;
  const body = open({ taskKey: hexToBytes(secrets.taskKey), context, sealed, commitment: outputCommitment });
  const payload = decodePayload(body);
  const document = payload.parts.find((part) => part.mediaType === "application/json");
  const json: unknown = document === undefined ? undefined : JSON.parse(new TextDecoder().decode(document.bytes));
  options.onEvent({ kind: "result", receipt, payload, json });
}

type NodeMessage = "accept" | "progress" | "receipt" | "transportBinding";

/** True when the signer is, or once was, the operator of the node that the message names, by the chain's word. */
async function isSignedByNode<K extends NodeMessage>(options: FollowOptions, kind: K, signed: Signed<K>): Promise<boolean> {
  const { chain, deployment } = options;
  const signer = await recoverSigner({ kind, signed, context: contextOf(options) });
  if (signer === undefined) return false;
  const request = { address: deployment.nodeRegistry, abi: nodeRegistryAbi, functionName: "nodeOfOperator" } as const;
  const nodeId = await chain.readContract({ ...request, args: [signer] });
  return nodeId === signed.message.nodeId;
}

function isCurrent(options: FollowOptions, binding: Signed<"transportBinding">): boolean {
  const nowS = BigInt(Math.floor(now(options) / 1_000));
  return binding.message.expiry > nowS && binding.message.notBefore <= nowS + 30n;
}

function blobOf(options: FollowOptions, blobHash: Hex) {
  const { taskId, clientPrivateKey } = options.secrets;
  return { context: contextOf(options), clientPrivateKey, taskId, blobHash, nowMs: now(options) };
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

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}

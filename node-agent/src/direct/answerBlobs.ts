/**
 * Requests for blobs that a task's client makes of the node itself (docs/PROTOCOL.md §12 and §13): its input in, its
 * output out, each with the client key's word.
 */
import { decodeBlobAuthorization } from "@ngpu/protocol/blobAuthorization";
import type { SendMessage } from "@ngpu/protocol/blobExchange/asker";
import { decodeRequest, encodeAnswer, encodeBlobHead, type BlobRequestHead } from "@ngpu/protocol/blobExchange/messages";
import { priorityOf } from "@ngpu/protocol/blobExchange/priorityOf";
import { joinBytes } from "@ngpu/protocol/bytes";
import { codeOf, NgpuError } from "@ngpu/protocol/errors";
import { gatewayLimits } from "@ngpu/protocol/limits";
import { requireBlobAccess } from "@ngpu/protocol/blobAccess";
import type { Clock } from "@ngpu/protocol/service/clock";
import type { SigningContext } from "@ngpu/protocol/signed";
import { keccak256, type Address, type Hex } from "viem";
import type { BlobShelf } from "./blobShelf.ts";

/** Of a task, what decides over its blobs. */
export interface MetTask {
  readonly taskId: Hex;
  readonly clientKey: Address;
  readonly inputCiphertext: Hex;
}

/** What one link has asked for so far: each request costs the check of a signature, and an input that of its hash. */
export interface Asked {
  requests: number;
  inputs: number;
}

const mostRequests = 64;
const mostInputs = 2;
const answerPatienceMs = 60_000;

/**
 * Resolves when the answer was taken. Throws WIRE_MALFORMED for what is no request, NODE_BUSY for one too many of a
 * link, and what `send` rejects with.
 */
export async function answerBlobs(
  message: Uint8Array,
  options: {
    task: MetTask;
    asked: Asked;
    shelf: BlobShelf;
    context: SigningContext;
    clock: Clock;
    send: SendMessage;
  },
): Promise<void> {
  const { asked } = options;
  asked.requests += 1;
  if (asked.requests > mostRequests) throw new NgpuError("NODE_BUSY", { ...asked });
  const { head, blob } = decodeRequest(message);
  const answer = await answerTo(head, blob, options).catch((error: unknown) =>
    encodeAnswer({ kind: "refused", request: head.request, code: codeOf(error) }),
  );
  const signal = AbortSignal.timeout(answerPatienceMs);
  await options.send(answer, { priority: priorityOf(answer.length), signal });
}

async function answerTo(
  { kind, request, taskId, hash, authorization }: BlobRequestHead,
  blob: Uint8Array,
  { task, asked, shelf, context, clock }: Parameters<typeof answerBlobs>[1],
): Promise<Uint8Array> {
  // A node gives its task's blobs and no model's files.
  if (kind === "part") throw new NgpuError("BLOB_UNKNOWN", { hash });
  const access = decodeBlobAuthorization(authorization);
  if (taskId !== task.taskId) throw new NgpuError("AUTH_FORBIDDEN", { part: "task" });
  const action = kind === "put" ? "write" : "read";
  await requireBlobAccess({ access, action, taskId, hash, signer: task.clientKey, context, nowMs: clock.nowMs() });
  if (kind === "put") {
    if (hash !== task.inputCiphertext) throw new NgpuError("AUTH_FORBIDDEN", { part: "input" });
    if (blob.length > gatewayLimits.maxBlobBytes) throw new NgpuError("BLOB_TOO_LARGE");
    asked.inputs += 1;
    if (asked.inputs > mostInputs) throw new NgpuError("NODE_BUSY", { ...asked });
    const wasPresent = shelf.get({ taskId, hash }) !== undefined;
    if (keccak256(blob) !== hash) throw new NgpuError("BLOB_MISMATCH", { hash });
    shelf.put({ taskId, hash, bytes: blob });
    return encodeAnswer({ kind: "stored", request, wasPresent });
  }
  const bytes = shelf.get({ taskId, hash });
  if (bytes === undefined) throw new NgpuError("BLOB_UNKNOWN", { hash });
  if (kind === "head") return encodeAnswer({ kind: "size", request, bytes: bytes.length });
  return joinBytes(encodeBlobHead(request), bytes);
}

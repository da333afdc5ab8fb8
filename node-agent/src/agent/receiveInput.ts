/**
 * Gets a task's input into the clear: the sealed bytes from the gateway, the key from the client's wrap, and proof of
 * the commitment.
 */
import type { TaskBlobs } from "@ngpu/protocol/blobExchange/blobs";
import { errorCatalogue, type ErrorCode } from "@ngpu/protocol/errors";
import { open } from "@ngpu/protocol/sealed/seal";
import { unwrapTaskKey } from "@ngpu/protocol/sealed/wrap";
import type { Clock } from "@ngpu/protocol/service/clock";
import { recoverSigner, type Signed, type SigningContext } from "@ngpu/protocol/signed";
import { hexToBytes, isAddressEqual } from "viem";
import { checkInput } from "./checkInput.ts";
import type { AssignedTask } from "./readTask.ts";
import { untilDone } from "./untilDone.ts";

export interface OpenedInput {
  taskKey: Uint8Array;
  body: Uint8Array;
}

/** The gateway may see the assignment a moment after the node does. */
const retriedCodes: readonly string[] = ["AUTH_FORBIDDEN", "BLOB_MISMATCH"];
const firstPauseMs = 100;
const longestPauseMs = 2_000;

/** Throws a code of the payer's fault, or whatever ended the waiting. */
export async function receiveInput(request: {
  task: AssignedTask;
  nodeId: number;
  secret: Uint8Array;
  context: SigningContext;
  blobs: TaskBlobs;
  /** The next wrap for this task and assignment; rejects when the signal aborts. */
  nextWrap: () => Promise<Signed<"keyWrap">>;
  clock: Clock;
  signal: AbortSignal;
}): Promise<OpenedInput> {
  const { task, nodeId, secret, context, blobs, nextWrap, clock, signal } = request;
  const { taskId, assignment, inputCiphertext, inputCommitment } = task;
  const fetched = untilServed({ clock, signal, get: () => blobs.get({ taskId, hash: inputCiphertext, signal }) });
  // The wrap may take long; a failed download is reported when it is awaited below.
  fetched.catch(() => undefined);
  const wrap = await signedWrap({ task, context, nextWrap });
  const sealed = await fetched;
  const taskKey = unwrapTaskKey({
    nodeSecret: secret,
    ephemeralPublicKey: hexToBytes(wrap.message.ephemeralPublicKey),
    wrappedKey: hexToBytes(wrap.message.wrappedKey),
    target: { taskId, assignment, nodeId },
  });
  const body = open({ taskKey, context: { kind: "input", taskId }, sealed, commitment: inputCommitment });
  checkInput({ body, manifest: task.manifest, workCums: task.workCums });
  return { taskKey, body };
}

/** Wraps that the task's client key did not sign are passed over, so nobody else can spoil a task. */
async function signedWrap(request: {
  task: AssignedTask;
  context: SigningContext;
  nextWrap: () => Promise<Signed<"keyWrap">>;
}): Promise<Signed<"keyWrap">> {
  for (;;) {
    const wrap = await request.nextWrap();
    const signer = await recoverSigner({ kind: "keyWrap", signed: wrap, context: request.context });
    if (signer !== undefined && isAddressEqual(signer, request.task.clientKey)) return wrap;
  }
}

async function untilServed(request: {
  clock: Clock;
  signal: AbortSignal;
  get: () => Promise<Uint8Array>;
}): Promise<Uint8Array> {
  const { clock, signal, get } = request;
  const mayHelp = (code: ErrorCode): boolean => errorCatalogue[code].retryable || retriedCodes.includes(code);
  return untilDone(get, { firstPauseMs, longestPauseMs, mayHelp, clock, signal });
}

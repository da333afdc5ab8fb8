/**
 * One execution of a task on a slot of this machine, from the opened input to the output stored at the gateway. What
 * can go wrong here becomes the status of a receipt; nothing of it is thrown.
 */
import type { TaskBlobs } from "@ngpu/protocol/blobExchange/blobs";
import { codeOf, errorCatalogue, NgpuError, type ErrorCode } from "@ngpu/protocol/errors";
import { encodePayload } from "@ngpu/protocol/sealed/payload";
import { seal } from "@ngpu/protocol/sealed/seal";
import type { Clock } from "@ngpu/protocol/service/clock";
import { receiptStatus } from "@ngpu/protocol/typedData";
import { capMs } from "@ngpu/protocol/units";
import { zeroHash, type Hex } from "viem";
import type { RunnerPool, Slot } from "../pool/runnerPool.ts";
import type { AssignedTask } from "./readTask.ts";
import type { OpenedInput } from "./receiveInput.ts";
import { untilAborted } from "./untilAborted.ts";
import { untilDone } from "./untilDone.ts";

/** The part of a receipt that an execution decides. */
export interface Outcome {
  status: number;
  outputCommitment: Hex;
  outputCiphertext: Hex;
  slot: number;
  startMs: number;
  durationMs: number;
  /** For people: the code and reason of a failure, else empty. */
  detail: string;
}

const statusOf: Partial<Record<ErrorCode, number>> = {
  PAYLOAD_MALFORMED: receiptStatus.inputRefused,
  INPUT_NOT_IMAGE: receiptStatus.inputRefused,
  INPUT_TOO_LARGE: receiptStatus.inputRefused,
  INPUT_DIMENSIONS: receiptStatus.inputRefused,
  WORK_TOO_LOW: receiptStatus.inputRefused,
  SEAL_BROKEN: receiptStatus.inputRefused,
  COMMITMENT_MISMATCH: receiptStatus.inputRefused,
  MODEL_FAILED: receiptStatus.modelFailed,
  MODEL_MISMATCH: receiptStatus.modelFailed,
  MODEL_UNKNOWN: receiptStatus.modelFailed,
  RUNNER_CRASHED: receiptStatus.runnerCrashed,
  NODE_DRAINING: receiptStatus.runnerCrashed,
  RUNNER_TIMED_OUT: receiptStatus.timedOut,
};

const firstPauseMs = 200;
const longestPauseMs = 2_000;

/** The outcome that a failure means for its receipt; undefined for what is no fault of the task. */
export function failureOf(error: unknown, at: { startMs: number; slot: number }): Outcome | undefined {
  const status = statusOf[codeOf(error)];
  if (status === undefined) return undefined;
  const detail = (error instanceof Error ? error.message : String(error)).slice(0, 400);
  return { status, outputCommitment: zeroHash, outputCiphertext: zeroHash, ...at, durationMs: 0, detail };
}

export async function executeTask(request: {
  task: AssignedTask;
  input: OpenedInput;
  nodeId: number;
  attempt: number;
  pool: RunnerPool;
  blobs: TaskBlobs;
  clock: Clock;
  random: (length: number) => Uint8Array;
  /** A slot was free: from here on it executes. */
  onBegun: () => void;
  onProgress: (permille: number) => void;
  /** Aborts when another node is to have the task that has not begun. */
  handedOver: AbortSignal;
  /** Aborts at the task's deadline. */
  deadline: { signal: AbortSignal; leftMs: () => number };
  /** Aborts when the result is of no more use. */
  signal: AbortSignal;
}): Promise<Outcome> {
  const { task, input, nodeId, attempt, pool, blobs, clock, random, onBegun, onProgress, deadline, signal } = request;
  const { taskId, assignment, manifest } = task;
  const slot = await takeSlot(request);
  if ("status" in slot) return slot;
  onBegun();
  const startMs = clock.nowMs();
  const running = slot
    .execute({
      modelId: task.modelId,
      body: input.body,
      timeoutMs: Math.min(manifest.limits.deadlineMs, deadline.leftMs()),
      onProgress,
    })
    .catch((error: unknown) => {
      const failure = failureOf(error, { startMs, slot: slot.index });
      if (failure === undefined) throw error;
      return failure;
    })
    .finally(() => slot.release());
  // A run cannot be called off; when nobody wants its result any more it keeps the slot, but nobody waits for it.
  const execution = await untilAborted(running, signal);
  if ("status" in execution) return execution;

  const body = encodePayload({
    parameters: { schema: manifest.output.schema },
    parts: [{ name: "result.json", mediaType: manifest.output.mediaType, bytes: execution.result }],
  });
  const context = { kind: "output", taskId, nodeId, assignment, attempt } as const;
  const { sealed, ciphertextHash, commitment } = seal({ taskKey: input.taskKey, context, body, random });
  await store({ blobs, clock, signal, blob: { taskId, hash: ciphertextHash, bytes: sealed } });
  return {
    status: receiptStatus.succeeded,
    outputCommitment: commitment,
    outputCiphertext: ciphertextHash,
    slot: slot.index,
    startMs: execution.startMs,
    durationMs: Math.min(execution.durationMs, capMs(task)),
    detail: "",
  };
}

/** A slot as soon as one is free, or the failure that hands the task over. */
async function takeSlot(request: Parameters<typeof executeTask>[0]): Promise<Slot | Outcome> {
  const { pool, clock, handedOver, deadline, signal } = request;
  try {
    return await pool.take(AbortSignal.any([signal, deadline.signal, handedOver]));
  } catch (error) {
    const isGone = signal.aborted || deadline.signal.aborted || !handedOver.aborted;
    const failure = isGone
      ? undefined
      : failureOf(new NgpuError("NODE_DRAINING"), { startMs: clock.nowMs(), slot: 0 });
    if (failure === undefined) throw error;
    return failure;
  }
}

async function store(request: {
  blobs: TaskBlobs;
  clock: Clock;
  signal: AbortSignal;
  blob: { taskId: Hex; hash: Hex; bytes: Uint8Array };
}): Promise<void> {
  const { blobs, clock, signal, blob } = request;
  const mayHelp = (code: ErrorCode): boolean => errorCatalogue[code].retryable;
  await untilDone(() => blobs.put({ ...blob, signal }), { firstPauseMs, longestPauseMs, mayHelp, clock, signal });
}

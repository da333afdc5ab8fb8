/**
 * One task under one assignment, served by this node from dispatch to receipt:
 *
 *   read chain → receive input → accept → (as backup: wait for takeover) → execute → receipt
 *
 * A duty ends early when the chain moves on, a newer assignment replaces it, the deadline and its grace pass, or the
 * node drains before the execution has begun.
 */
import type { TaskBlobs } from "@ngpu/protocol/blobExchange/blobs";
import { codeOf, NgpuError } from "@ngpu/protocol/errors";
import { limits } from "@ngpu/protocol/limits";
import type { ModelManifest } from "@ngpu/protocol/manifest";
import type { Clock } from "@ngpu/protocol/service/clock";
import type { Log } from "@ngpu/protocol/service/log";
import { signMessage, type Signed, type SigningContext, type TypedDataSigner } from "@ngpu/protocol/signed";
import type { Frame } from "@ngpu/protocol/wire";
import type { Hex } from "viem";
import type { RunnerPool } from "../pool/runnerPool.ts";
import type { AgentChain } from "./chain.ts";
import type { Delivery } from "./delivery.ts";
import { executeTask, failureOf, type Outcome } from "./executeTask.ts";
import type { Journal, JournalEntry } from "./journal.ts";
import { readTask, type AssignedTask } from "./readTask.ts";
import { receiveInput, type OpenedInput } from "./receiveInput.ts";
import { reportProgress } from "./reportProgress.ts";
import { signReceipt } from "./signReceipt.ts";
import type { WrapBox } from "./wrapBox.ts";

/** What every duty of one node shares. */
export interface DutyParts {
  nodeId: number;
  context: SigningContext;
  signer: TypedDataSigner;
  secret: Uint8Array;
  manifests: ReadonlyMap<Hex, ModelManifest>;
  chain: AgentChain;
  blobs: TaskBlobs;
  pool: RunnerPool;
  journal: Journal;
  wraps: WrapBox;
  delivery: Delivery;
  send: (frame: Frame) => void;
  clock: Clock;
  log: Log;
  random: (length: number) => Uint8Array;
}

export interface Duty {
  taskId: Hex;
  assignment: number;
  /** True from the moment this node is the one to execute. */
  isPrimary(): boolean;
  /** What the chain says of it; undefined until that was read. */
  task(): AssignedTask | undefined;
  /** True until the input was received and found to be as posted. */
  isWaiting(): boolean;
  /** A dispatch for the same assignment: tells again what was accepted, and may ask a backup to take over. */
  remind(dispatch: { attempt: number; role: "primary" | "backup" }): void;
  /** Goes on only with what has begun, or what nobody else could execute. */
  drain(): void;
  end(): void;
  ended: Promise<void>;
}

const assignmentVisibleMs = 10_000;
const pollMs = 250;

export function startDuty(
  parts: DutyParts,
  dispatch: { taskId: Hex; assignment: number; attempt: number; role: "primary" | "backup" },
): Duty {
  const { nodeId, context, signer, chain, manifests, journal, wraps, delivery, send, clock, log } = parts;
  const { taskId, assignment } = dispatch;
  const ending = new AbortController();
  const { signal } = ending;
  const takeover = Promise.withResolvers<void>();
  let { attempt, role } = dispatch;
  let accept: Signed<"accept"> | undefined;
  let known: AssignedTask | undefined;
  let seat = 0;
  let stage: "receiving" | "standby" | "queued" | "executing" = "receiving";
  const handingOver = new AbortController();
  if (role === "primary") takeover.resolve();

  const serve = async (): Promise<void> => {
    const task = (known = await visibleTask());
    ({ seat } = task);
    const startedAt = clock.monotonicMs();
    const leftMs = (): number => Math.max(1, task.leftS * 1_000 - (clock.monotonicMs() - startedAt));
    const deadline = new AbortController();
    void clock.sleep(leftMs(), signal).then(() => deadline.abort());
    void clock.sleep(leftMs() + limits.settleGraceS * 1_000, signal).then(() => ending.abort());
    let input: OpenedInput;
    try {
      const waiting = AbortSignal.any([signal, deadline.signal]);
      const nextWrap = wraps.reader({ taskId, assignment, nodeId, signal: waiting });
      input = await receiveInput({ ...parts, task, nextWrap, signal: waiting });
    } catch (error) {
      const failure = failureOf(error, { startMs: clock.nowMs(), slot: 0 });
      if (failure === undefined) throw error;
      return conclude(task, attempt, failure);
    }
    stage = role === "primary" ? "queued" : "standby";
    if (!journal.hasRoom()) throw new NgpuError("DISK_FULL");
    const message = {
      taskId,
      assignment,
      nodeId,
      inputCommitment: task.inputCommitment,
      timeMs: BigInt(clock.nowMs()),
    };
    accept = await signMessage({ kind: "accept", message, context, signer });
    if (signal.aborted) return;
    send({ t: "accept", accept });
    log.info({ taskId, assignment, role }, "accepted");

    await Promise.race([takeover.promise, aborted(signal), aborted(deadline.signal)]);
    if (signal.aborted || deadline.signal.aborted) return;
    stage = "queued";
    const executing = attempt;
    const signed = journal.find({ taskId, assignment, attempt: executing });
    if (signed !== undefined) return delivery.tell(signed);
    const progress = reportProgress({ ...parts, taskId, assignment, attempt: executing });
    let outcome: Outcome;
    try {
      const options = {
        ...parts,
        task,
        input,
        attempt: executing,
        deadline: { signal: deadline.signal, leftMs },
        handedOver: handingOver.signal,
        onBegun: () => void (stage = "executing"),
        signal,
      };
      outcome = await executeTask({ ...options, onProgress: progress.reached });
    } finally {
      await progress.stop();
    }
    return conclude(task, executing, outcome);
  };

  const conclude = async (task: AssignedTask, concluded: number, outcome: Outcome): Promise<void> => {
    const signed = journal.find({ taskId, assignment, attempt: concluded });
    const entry = signed ?? (await signReceipt({ ...parts, task, attempt: concluded, outcome, signal }));
    if (entry === undefined) return;
    delivery.tell(entry);
    const { status, durationMs, slot } = entry.receipt.message;
    log.info(
      { taskId, assignment, attempt: concluded, status, durationMs, slot, detail: entry.detail },
      "receipt sent",
    );
  };

  /** The keeper may see a block before this node's RPC does. */
  const visibleTask = async (): Promise<AssignedTask> => {
    const patienceMs = clock.monotonicMs() + assignmentVisibleMs;
    for (;;) {
      try {
        return await readTask({ taskId, assignment, nodeId, chain, manifests });
      } catch (error) {
        const code = codeOf(error);
        const mayAppear = ["TASK_UNKNOWN", "TASK_WORDS_MISMATCH", "CHAIN_UNREACHABLE"].includes(code);
        if (!mayAppear || signal.aborted || clock.monotonicMs() > patienceMs) throw error;
      }
      await clock.sleep(pollMs, signal);
    }
  };

  /**
   * A failure under the attempt of this node's own seat lets the next backup begin at once, but only one that holds the
   * input: with nobody left to execute, the chain would refund the task that this node may still finish, now or when it
   * is back. Seats before this one are not counted on: their nodes were asked and did not deliver.
   */
  const handOver = async (): Promise<void> => {
    while (stage === "queued" && attempt === seat && !signal.aborted) {
      try {
        const state = await chain.state(taskId);
        const isHeld = (state.acceptedMask & ~state.failedMask) >> (seat + 1) !== 0;
        if (state.assignment === assignment && isHeld) return handingOver.abort();
      } catch (error) {
        log.warn({ taskId, code: codeOf(error) }, "cannot see whether the backup could take the task");
      }
      await clock.sleep(pollMs, signal);
    }
  };

  const ended = serve()
    .catch((error: unknown) => {
      if (signal.aborted) return;
      const code = codeOf(error);
      const fields = { taskId, assignment, role, code, reason: error instanceof Error ? error.message : String(error) };
      if (code === "DISK_FULL") log.error(fields, "the disk is full; no new task is accepted before there is room");
      else if (code === "INTERNAL") log.error({ ...fields, err: error }, "task dropped");
      else log.warn(fields, "task dropped");
    })
    .finally(() => ending.abort());

  return {
    taskId,
    assignment,
    isPrimary: () => role === "primary",
    task: () => known,
    isWaiting: () => stage === "receiving",
    remind(newer) {
      if (accept !== undefined) send({ t: "accept", accept });
      if (newer.role === "backup" || newer.attempt < attempt) return;
      if (role === "backup") log.info({ taskId, assignment, attempt: newer.attempt }, "taking over");
      ({ attempt } = newer);
      role = "primary";
      takeover.resolve();
    },
    drain() {
      if (stage === "receiving" || stage === "standby") return ending.abort();
      void handOver();
    },
    end: () => ending.abort(),
    ended,
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

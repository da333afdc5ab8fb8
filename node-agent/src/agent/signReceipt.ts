/** Makes the one receipt of a conflict key and puts it on disk; only what this returns may be sent. */
import type { Clock } from "@ngpu/protocol/service/clock";
import type { Log } from "@ngpu/protocol/service/log";
import { codeOf } from "@ngpu/protocol/errors";
import { signMessage, type SigningContext, type TypedDataSigner } from "@ngpu/protocol/signed";
import type { Outcome } from "./executeTask.ts";
import type { Journal, JournalEntry } from "./journal.ts";
import type { AssignedTask } from "./readTask.ts";

const fullDiskPauseMs = 1_000;

/**
 * Waits for room while the disk is full, because an unjournaled receipt must not exist. Resolves undefined when the
 * signal aborts.
 */
export async function signReceipt(request: {
  task: AssignedTask;
  nodeId: number;
  attempt: number;
  outcome: Outcome;
  context: SigningContext;
  signer: TypedDataSigner;
  journal: Journal;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
}): Promise<JournalEntry | undefined> {
  const { task, nodeId, attempt, outcome, context, signer, journal, clock, log, signal } = request;
  const { taskId, assignment, modelId, inputCommitment, powerCu } = task;
  const { detail, startMs, ...decided } = outcome;
  const message = {
    taskId,
    assignment,
    attempt,
    nodeId,
    modelId,
    inputCommitment,
    powerCu,
    ...decided,
    startMs: BigInt(startMs),
  };
  const receipt = await signMessage({ kind: "receipt", message, context, signer });
  const entry = { receipt, detail, writtenMs: clock.nowMs() };
  while (!signal.aborted) {
    try {
      journal.write(entry);
      return entry;
    } catch (error) {
      if (codeOf(error) !== "DISK_FULL") throw error;
      log.error(
        { code: "DISK_FULL", taskId },
        "no room for a receipt; free some space: it is not sent before it is on disk",
      );
    }
    await clock.sleep(fullDiskPauseMs, signal);
  }
  return undefined;
}

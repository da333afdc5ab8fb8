/**
 * The words that calls of TaskEscrow bring along, from the events that a task's timeline is made of. The contract
 * compares them with its digest, so an RPC that tells others can only make a call fail.
 */
import { argsOf, type TimelineRow } from "@ngpu/client/chainTimeline";
import { NgpuError } from "@ngpu/protocol/errors";
import {
  assignedOf,
  settlementOf,
  termsOf,
  type AssignedFields,
  type PostedFields,
  type SettledFields,
} from "@ngpu/protocol/taskWords";
import { unassigned } from "@ngpu/protocol/taskDigest";
import type { Hex } from "viem";

/** undefined until the post is known. */
export function wordsOfRows(rows: readonly TimelineRow[]) {
  const posted = argsOf<PostedFields>(rows, "posted");
  if (posted === undefined) return undefined;
  const assigned = argsOf<AssignedFields>(rows, "assigned");
  const settled = argsOf<SettledFields>(rows, "settled");
  return {
    terms: termsOf(posted),
    /** The newest assignment, or what stands for none. */
    standing: assigned === undefined ? unassigned : assignedOf(assigned),
    settlement: settled === undefined ? undefined : settlementOf({ posted, settled }),
  };
}

/** For a call that cannot be made without them. */
export function requireRowWords({ taskId, rows }: { taskId: Hex; rows: readonly TimelineRow[] }) {
  const words = wordsOfRows(rows);
  if (words === undefined) throw new NgpuError("TASK_UNKNOWN", { taskId });
  return words;
}

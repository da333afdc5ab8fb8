/**
 * Whether another node finished what one had begun, from the stream where this device saw it and else from the chain:
 * an attempt above zero, or a settlement by a seat behind the first.
 */
import type { TimelineRow } from "@ngpu/client/chainTimeline";
import type { TaskFacts } from "./taskFacts.ts";

export interface Takeover {
  fromNodeId: number;
  toNodeId: number;
  /** True when the former node reported that it could not execute the task; else it fell silent. */
  reported: boolean;
  /** Chain time of the former node's last word, where this device heard it. */
  silentSinceS?: number | undefined;
  /** From the last word of the one to the first of the other, where this device heard both. */
  gapMs?: number;
}

export function takeoverOf({ rows, facts }: { rows: readonly TimelineRow[]; facts: TaskFacts }): Takeover | undefined {
  const { takeover } = facts;
  const assigned = rows.findLast((row) => row.stage === "assigned");
  const reported = (nodeId: number): boolean =>
    rows.some((row) => row.stage === "attemptFailed" && row.args.nodeId === nodeId) ||
    (facts.receipt?.nodeId === nodeId && facts.receipt.status !== 0);
  if (takeover !== undefined) {
    const { fromNodeId, toNodeId, silentSince, atMs } = takeover;
    const gapMs = Math.max(0, atMs - silentSince.atMs);
    // The moment is of the newest block that this device had seen, which may be older than the assignment.
    const earliestS = Number(assigned?.timestamp ?? 0n);
    const silentSinceS = silentSince.atS === undefined ? undefined : Math.max(earliestS, silentSince.atS);
    return { fromNodeId, toNodeId, reported: reported(fromNodeId), silentSinceS, gapMs };
  }
  const seats = (assigned?.args as { seats: { nodeId: number }[] } | undefined)?.seats ?? [];
  const settled = rows.find((row) => row.stage === "settled")?.args as { nodeId: number } | undefined;
  const executor = settled?.nodeId ?? facts.receipt?.nodeId ?? facts.progress?.nodeId;
  // Seats take over in their order, so the one before is whom it was taken from.
  const from = seats[seats.findIndex(({ nodeId }) => nodeId === executor) - 1]?.nodeId;
  if (executor === undefined || from === undefined) return undefined;
  return { fromNodeId: from, toNodeId: executor, reported: reported(from) };
}

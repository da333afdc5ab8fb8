/**
 * Answers of a lane are numbered, and judged in the order of their numbers. Over a coded link they come as they come: one
 * that is ahead waits for those before it, but not for long, because one that was lost is asked for.
 */
import type { FrameOf } from "@ngpu/protocol/wire";

export interface AnswerOrder {
  take(answer: FrameOf<"answer">): void;
  /** The node tells anew what was not recorded: its numbers begin again where the books are. */
  restart(nodeId: number): void;
  close(): void;
}

interface Lane {
  next: bigint;
  ahead: Map<bigint, FrameOf<"answer">>;
  timer: ReturnType<typeof setTimeout> | undefined;
}

const patienceMs = 1_500;
/** More than a node works ahead of vouchers. */
const mostAhead = 128;

export function createAnswerOrder(options: {
  /** Number of the lane's next record. */
  nextSeq: (nodeId: number) => bigint;
  deliver: (answer: FrameOf<"answer">) => void;
}): AnswerOrder {
  const { nextSeq, deliver } = options;
  const lanes = new Map<number, Lane>();

  function laneOf(nodeId: number): Lane {
    const lane = lanes.get(nodeId) ?? { next: nextSeq(nodeId), ahead: new Map(), timer: undefined };
    lanes.set(nodeId, lane);
    return lane;
  }

  /** All that follow each other; after a while those behind a gap too, whose reader then sees it. */
  function flush(nodeId: number, isLate: boolean): void {
    const lane = laneOf(nodeId);
    clearTimeout(lane.timer);
    lane.timer = undefined;
    for (;;) {
      const due = lane.ahead.get(lane.next);
      if (due === undefined) break;
      lane.ahead.delete(lane.next);
      lane.next += 1n;
      deliver(due);
    }
    if (lane.ahead.size === 0) return;
    if (!isLate) {
      lane.timer = setTimeout(() => flush(nodeId, true), patienceMs);
      return;
    }
    const left = [...lane.ahead.values()].sort((a, b) => (a.seq < b.seq ? -1 : 1));
    lane.ahead.clear();
    for (const answer of left) deliver(answer);
  }

  return {
    take(answer) {
      const lane = laneOf(answer.nodeId);
      // The books may have gone on by themselves, as when they were read from their journal.
      const next = nextSeq(answer.nodeId);
      if (next > lane.next) lane.next = next;
      // One that was judged before is told again; who judges knows it.
      if (answer.seq < lane.next) return deliver(answer);
      lane.ahead.set(answer.seq, answer);
      if (answer.seq === lane.next || lane.ahead.size > mostAhead) flush(answer.nodeId, lane.ahead.size > mostAhead);
      else lane.timer ??= setTimeout(() => flush(answer.nodeId, true), patienceMs);
    },
    restart(nodeId) {
      clearTimeout(lanes.get(nodeId)?.timer);
      lanes.delete(nodeId);
    },
    close() {
      for (const { timer } of lanes.values()) clearTimeout(timer);
      lanes.clear();
    },
  };
}

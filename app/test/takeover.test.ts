/** A takeover is told from the stream with its gap, and from the chain alone where this device saw nothing. */
import { describe, it } from "node:test";
import type { TimelineRow } from "@ngpu/client/chainTimeline";
import { expect } from "chai";
import { takeoverOf } from "../lib/takeover.ts";
import { foldTaskEvent, noFacts } from "../lib/taskFacts.ts";

const row = (stage: TimelineRow["stage"], args: Record<string, unknown>): TimelineRow =>
  ({ stage, args, blockNumber: 1n, logIndex: 0, timestamp: 1n, txHash: "0x1" }) as unknown as TimelineRow;
const assigned = (first: number) => row("assigned", { seats: [first, 2, 5].map((nodeId) => ({ nodeId })) });

describe("a takeover", () => {
  it("is told with the time of silence and the gap that this device measured", () => {
    const progress = (nodeId: number, attempt: number) =>
      ({ kind: "progress", nodeId, assignment: 1, attempt, permille: 500 }) as const;
    const first = foldTaskEvent(noFacts, progress(1, 0), { atMs: 1_000, atS: 70 });
    const facts = foldTaskEvent(first, progress(2, 1), { atMs: 1_240, atS: 71 });
    const told = takeoverOf({ rows: [assigned(1)], facts });
    expect(told).to.deep.equal({ fromNodeId: 1, toNodeId: 2, reported: false, silentSinceS: 70, gapMs: 240 });
  });

  it("is seen on the chain alone when the backup was paid", () => {
    const rows = [assigned(1), row("settled", { nodeId: 2, attempt: 1 })];
    expect(takeoverOf({ rows, facts: noFacts })).to.deep.equal({ fromNodeId: 1, toNodeId: 2, reported: false });
  });

  it("is from the seat before in their order, however many there are", () => {
    const rows = [assigned(1), row("settled", { nodeId: 5, attempt: 2 })];
    expect(takeoverOf({ rows, facts: noFacts })).to.deep.equal({ fromNodeId: 2, toNodeId: 5, reported: false });
  });

  it("is no silence when the former node reported its failure", () => {
    const rows = [assigned(1), row("attemptFailed", { nodeId: 1, status: 2 }), row("settled", { nodeId: 2 })];
    expect(takeoverOf({ rows, facts: noFacts })?.reported).to.equal(true);
  });

  it("is not told when the primary delivered, nor of an older assignment", () => {
    const settledByOne = row("settled", { nodeId: 1, attempt: 0 });
    expect(takeoverOf({ rows: [assigned(1), settledByOne], facts: noFacts })).to.equal(undefined);
    expect(takeoverOf({ rows: [assigned(3), assigned(1), settledByOne], facts: noFacts })).to.equal(undefined);
  });
});

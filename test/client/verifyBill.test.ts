import { describe, it } from "node:test";
import { expect } from "chai";
import type { Stage, TimelineRow } from "@ngpu/client/chainTimeline";
import { checkBill } from "@ngpu/client/verifyBill";
import { settlementDigest } from "@ngpu/protocol/taskDigest";
import { settlementOf, termsOf, type PostedFields, type SettledFields } from "@ngpu/protocol/taskWords";
import type { Hex } from "viem";

const word = (digit: string): Hex => `0x${digit.repeat(64)}`;
const posted = {
  ...{ payer: `0x${"a".repeat(40)}`, postedAt: 1_000, deadline: 1_300, backups: 3, modelId: word("1"), inputCommitment: word("2") },
  ...{ workCums: 12_000_000n, priceUsd6PerGcums: 100_000n, stakeWeiPerUsd6: 1n },
} satisfies PostedFields;
const settled = {
  ...{ taskId: word("3"), nodeId: 1, payout: `0x${"b".repeat(40)}` as const, assignment: 1, attempt: 0, slot: 0 },
  ...{ powerCu: 1_000, durationMs: 12_345, startMs: 5n, outputCommitment: word("4"), outputCiphertext: word("5") },
  // 1,500 of the bill and 3 × 150 of standby were escrowed; two backups stood by.
  ...{ priceUsd6PerGcums: 100_000n, amountUsd6: 1_234n, standbyUsd6: 246n, refundUsd6: 470n },
};

function aRow(stage: Stage, args: Record<string, unknown>): TimelineRow {
  return { stage, blockNumber: 1n, blockHash: "0x01", timestamp: 1n, txHash: "0x02", logIndex: 0, args };
}

interface Story {
  change?: Partial<typeof settled>;
  accepted?: number[];
  failed?: number[];
  standby?: [number, bigint][];
  after?: TimelineRow[];
}

function aSettledTask(story: Story = {}): { rows: TimelineRow[]; digest: Hex } {
  const { change = {}, accepted = [1, 2, 3], failed = [], standby = [[2, 123n], [3, 123n]], after = [] } = story;
  const seats = [1, 2, 3, 4].map((nodeId) => ({ nodeId, powerCu: nodeId === 1 ? 1_000 : 4_000 }));
  const bill = { ...settled, ...change };
  const rows = [
    aRow("posted", posted),
    aRow("assigned", { assigner: posted.payer, assignment: 1, seats }),
    ...accepted.map((nodeId) => aRow("accepted", { nodeId, assignment: 1 })),
    ...failed.map((nodeId) => aRow("attemptFailed", { nodeId, assignment: 1, status: 2 })),
    aRow("settled", bill),
    ...standby.map(([nodeId, amountUsd6]) => aRow("standbyPaid", { nodeId, amountUsd6 })),
    ...after,
  ];
  return { rows, digest: digestOf(bill) };
}

function digestOf(bill: SettledFields): Hex {
  return settlementDigest(termsOf(posted), settlementOf({ posted, settled: bill }));
}

function failedSteps(story: Story): string[] {
  return checkBill(aSettledTask(story)).steps.filter((step) => !step.ok).map((step) => step.what);
}

describe("bill check", () => {
  it("accepts a bill and its standby lines that follow from the chain", () => {
    expect(failedSteps({})).to.deep.equal([]);
    expect(checkBill(aSettledTask()).ok).to.equal(true);
  });

  it("names the step that does not hold", () => {
    const wrong: [Partial<typeof settled>, string][] = [
      [{ amountUsd6: 1_235n }, "Amount is power × duration × price"],
      [{ refundUsd6: 471n }, "Refund is the rest of the escrow"],
      [{ priceUsd6PerGcums: 100_001n }, "Price is the one frozen when posted"],
      [{ nodeId: 9 }, "Node was assigned"],
      [{ durationMs: 15_001 }, "Duration is within the work cap"],
      [{ standbyUsd6: 247n }, "Standby is the sum of its lines"],
    ];
    for (const [change, what] of wrong) expect(failedSteps({ change })).to.include(what);
  });

  it("finds out an RPC that tells other words than the chain keeps", () => {
    const { rows } = aSettledTask();
    const check = checkBill({ rows, digest: digestOf({ ...settled, payout: posted.payer }) });
    expect(check.steps.filter((step) => !step.ok).map((step) => step.what)).to.deep.equal([
      "Terms and settlement are those that the chain keeps",
    ]);
  });

  it("checks a backup's bill against its power, and pays no standby to who sits before it", () => {
    const byBackup = { nodeId: 2, powerCu: 4_000, durationMs: 3_000, amountUsd6: 1_200n, standbyUsd6: 120n, refundUsd6: 630n };
    expect(failedSteps({ change: byBackup, standby: [[3, 120n]] })).to.deep.equal([]);
    expect(failedSteps({ change: { ...byBackup, powerCu: 1_000 }, standby: [[3, 120n]] })).to.include(
      "Power is the one frozen at assignment",
    );
    expect(failedSteps({ change: byBackup, standby: [[1, 120n], [3, 120n]] })).to.include("node-1 stood by");
  });

  it("finds standby that is missing, too much, or paid to who did not accept or failed", () => {
    expect(failedSteps({ standby: [[2, 123n]] })).to.include("node-3 stood by");
    expect(failedSteps({ standby: [[2, 124n], [3, 123n]] })).to.deep.equal(["node-2 stood by"]);
    expect(failedSteps({ standby: [[2, 123n], [3, 123n], [4, 123n]] })).to.deep.equal(["node-4 stood by"]);
    expect(failedSteps({ failed: [2] })).to.include("node-2 stood by");
  });

  it("checks that all of a forfeited bill went back to the payer, and nothing of the standby", () => {
    expect(failedSteps({ after: [aRow("forfeited", { amountUsd6: 1_234n })] })).to.deep.equal([]);
    expect(failedSteps({ after: [aRow("forfeited", { amountUsd6: 1_480n })] })).to.deep.equal([
      "All of the bill was forfeited to the payer",
    ]);
  });

  it("says that an unsettled task has no bill", () => {
    const { rows, digest } = aSettledTask();
    expect(checkBill({ rows: rows.slice(0, 2), digest })).to.deep.equal({ ok: false, settled: false, steps: [] });
  });
});

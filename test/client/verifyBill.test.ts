import { describe, it } from "node:test";
import { expect } from "chai";
import type { Stage, TimelineRow } from "@ngpu/client/chainTimeline";
import { checkBill } from "@ngpu/client/verifyBill";

function aRow(stage: Stage, args: Record<string, unknown>): TimelineRow {
  return { stage, blockNumber: 1n, blockHash: "0x01", timestamp: 1n, txHash: "0x02", logIndex: 0, args };
}

function aSettledTask(change: Record<string, unknown> = {}): TimelineRow[] {
  return [
    aRow("posted", { workCums: 12_000_000n, priceUsd6PerGcums: 100_000n }),
    aRow("assigned", { primary: 1, backup: 2, assignment: 1, primaryPowerCu: 1_000, backupPowerCu: 4_000 }),
    aRow("settled", {
      nodeId: 1,
      assignment: 1,
      powerCu: 1_000,
      durationMs: 12_345,
      priceUsd6PerGcums: 100_000n,
      amountUsd6: 1_234n,
      refundUsd6: 266n,
      ...change,
    }),
  ];
}

describe("bill check", () => {
  it("accepts a bill that follows from the chain", () => {
    const check = checkBill(aSettledTask());
    expect(check.steps.filter((step) => !step.ok)).to.deep.equal([]);
    expect(check.ok).to.equal(true);
  });

  it("names the step that does not hold", () => {
    const wrong: [Record<string, unknown>, string][] = [
      [{ amountUsd6: 1_235n }, "Amount is power × duration × price"],
      [{ refundUsd6: 267n }, "Refund is the rest of the escrow"],
      [{ priceUsd6PerGcums: 100_001n }, "Price is the one frozen when posted"],
      [{ nodeId: 9 }, "Node was assigned"],
      [{ durationMs: 15_001 }, "Duration is within the work cap"],
    ];
    for (const [change, what] of wrong) {
      const failed = checkBill(aSettledTask(change)).steps.filter((step) => !step.ok).map((step) => step.what);
      expect(failed).to.include(what);
    }
  });

  it("checks the backup's bill against the backup's power", () => {
    const byBackup = { nodeId: 2, powerCu: 4_000, durationMs: 3_000, amountUsd6: 1_200n, refundUsd6: 300n };
    expect(checkBill(aSettledTask(byBackup)).ok).to.equal(true);
    expect(checkBill(aSettledTask({ ...byBackup, powerCu: 1_000 })).ok).to.equal(false);
  });

  it("says that an unsettled task has no bill", () => {
    expect(checkBill(aSettledTask().slice(0, 2))).to.deep.equal({ ok: false, settled: false, steps: [] });
  });
});

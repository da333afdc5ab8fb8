/** Totals are the sum of the lines shown, in every period and filter. */
import { describe, it } from "node:test";
import { expect } from "chai";
import { billingCsv } from "../features/billing/billingCsv.ts";
import { billingLines, billingTotals, dailySpend, secondsPerDay } from "../features/billing/billingRows.ts";
import type { TaskRow } from "../lib/subgraph/model.ts";
import { aBill, aSettledTask, aTask, hash } from "./support/rows.ts";

const settled = (index: number): TaskRow => aSettledTask({ index, timestamp: index * 40_000 });
const returned = aTask(99, {
  status: "Refunded",
  refundReason: "Expired",
  refundedAt: "200000",
  refundedTx: hash(4),
  refundUsd6: "125",
});
const open = aTask(98, { status: "Assigned" });
const tasks = [...Array.from({ length: 20 }, (_, index) => settled(index + 1)), returned, open];

describe("billing", () => {
  it("has a line for every ended task and none for open ones", () => {
    expect(billingLines({ tasks, fromS: 0n }).length).to.equal(21);
  });

  it("adds up exactly what it shows, whatever the period", () => {
    for (const fromS of [0n, 86_400n, 400_000n, 10_000_000n]) {
      const lines = billingLines({ tasks, fromS });
      const totals = billingTotals(lines);
      expect(totals.amountUsd6).to.equal(lines.reduce((sum, line) => sum + line.amountUsd6, 0n));
      expect(totals.refundUsd6).to.equal(lines.reduce((sum, line) => sum + line.refundUsd6, 0n));
      expect(lines.every((line) => line.at >= fromS)).to.equal(true);
    }
  });

  it("shows the newest first and filters by model", () => {
    const lines = billingLines({ tasks, fromS: 0n });
    expect(lines.map((line) => line.at)).to.deep.equal(lines.map((line) => line.at).sort((a, b) => Number(b - a)));
    expect(billingLines({ tasks, fromS: 0n, modelId: hash(7) })).to.deep.equal([]);
  });

  it("gives each day its spend, empty days included, and the days add up to the total", () => {
    const lines = billingLines({ tasks, fromS: 0n });
    const lastDay = (lines[0]?.at ?? 0n) / secondsPerDay + 3n;
    const days = dailySpend(lines, lastDay);
    expect(days.at(-1)).to.deep.equal({ day: lastDay, costUsd6: 0n, settled: 0, returned: 0, records: 0n });
    expect(days.reduce((sum, { settled, returned }) => sum + settled + returned, 0)).to.equal(lines.length);
    expect(days.reduce((sum, day) => sum + day.costUsd6, 0n)).to.equal(billingTotals(lines).costUsd6);
  });

  it("writes every digit into the file", () => {
    const [head, row] = billingCsv(billingLines({ tasks: [settled(1)], fromS: 0n })).split("\r\n");
    expect(head).to.contain("amount_usd,standby_usd,bond_lost_usd,refund_usd,transaction");
    expect(row).to.contain(",1000,10,0.1,0.000001,0,0,0.000007,");
  });

  it("has one line for what a transaction settled in a lane, and counts its records and money in every total", () => {
    const session = { id: hash(50), modelId: hash(200), priceUsd6PerGcums: "100000" };
    const voucher = (index: number, node: string, tx: number) => ({
      ...{ id: hash(300 + index), amountUsd6: String(index), records: "10", timestamp: "100000", tx: hash(tx) },
      ...{ node: { id: node }, session },
    });
    const vouchers = [voucher(1, "1", 5), voucher(2, "1", 5), voucher(3, "2", 5), voucher(4, "1", 6)];
    const lines = billingLines({ tasks: [settled(3)], vouchers, fromS: 0n });
    expect(lines.map(({ kind, amountUsd6, records }) => [kind, amountUsd6, records])).to.have.deep.members([
      ["settled", 3n, 0n],
      ["session", 3n, 20n],
      ["session", 3n, 10n],
      ["session", 4n, 10n],
    ]);
    expect(new Set(lines.map(({ key }) => key)).size).to.equal(4);
    expect(billingTotals(lines)).to.include({ amountUsd6: 13n, tasksUsd6: 3n, settled: 1, records: 40n });
    const days = dailySpend(lines, 1n);
    expect(days).to.deep.equal([{ day: 1n, costUsd6: 13n, settled: 1, returned: 0, records: 40n }]);
    expect(billingLines({ tasks: [], vouchers, fromS: 0n, modelId: hash(7) })).to.deep.equal([]);
    const [, row] = billingCsv(billingLines({ tasks: [], vouchers: [voucher(4, "1", 6)], fromS: 0n })).split("\r\n");
    expect(row).to.contain(`,session,1,,,0.1,0.000004,0,0,0,${hash(6)},${hash(50)},10`);
  });

  it("counts standby and lost bonds as cost, and gives a forfeited bill back to its payer", () => {
    const demand = { bondUsd6: "25" };
    const bill = { amountUsd6: "100", standbyUsd6: "10" };
    const of = (index: number, state: "Standing" | "Demanded" | "Delivered" | "Forfeited"): TaskRow =>
      aTask(index, { demand, bill: aBill(index, { ...bill, state }) });
    const tasks = [of(1, "Standing"), of(2, "Demanded"), of(3, "Delivered"), of(4, "Forfeited")];
    const lines = billingLines({ tasks, fromS: 0n }).reverse();
    expect(
      lines.map(({ amountUsd6, standbyUsd6, bondUsd6, refundUsd6 }) => [amountUsd6, standbyUsd6, bondUsd6, refundUsd6]),
    ).to.deep.equal([
      [100n, 10n, 0n, 7n],
      [100n, 10n, 0n, 7n],
      [100n, 10n, 25n, 7n],
      [0n, 10n, 0n, 107n],
    ]);
    expect(billingTotals(lines)).to.include({ amountUsd6: 300n, standbyUsd6: 40n, bondUsd6: 25n, costUsd6: 365n });
    const states = billingCsv(lines)
      .split("\r\n")
      .map((row) => row.split(",")[3]);
    expect(states.slice(0, 5)).to.deep.equal(["state", "settled", "demanded", "delivered", "forfeited"]);
  });

  it("survives rows in which the index left keys out", () => {
    const { bill: _bill, refundedAt: _refundedAt, ...rest } = open;
    expect(billingLines({ tasks: [rest as TaskRow], fromS: 0n })).to.deep.equal([]);
  });
});

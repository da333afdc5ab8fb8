/** Rows as the subgraph answers them, for the tests of lists and bills. */
import type { BillRow, TaskRow } from "../../lib/subgraph/model.ts";

export const hash = (value: number): `0x${string}` => `0x${value.toString(16).padStart(64, "0")}`;

/** Billed with as many base units as its index. */
export function aSettledTask({ index, timestamp }: { index: number; timestamp: number }): TaskRow {
  return aTask(index, { bill: aBill(index, { timestamp: String(timestamp) }) });
}

export function aTask(index: number, changes: Partial<TaskRow> = {}): TaskRow {
  return {
    id: hash(index),
    modelId: hash(200),
    status: "Settled",
    workCums: "1000000",
    priceUsd6PerGcums: "100000",
    maxAmountUsd6: "125",
    deadline: "2000",
    backups: 1,
    assignment: 1,
    amountUsd6: null,
    refundUsd6: null,
    refundReason: null,
    postedAt: "1000",
    postedTx: hash(1),
    settledAt: null,
    settledBlock: null,
    settledTx: null,
    refundedAt: null,
    refundedBlock: null,
    refundedTx: null,
    payer: { id: hash(9) },
    seats: ["1", "2"].map((id) => ({ node: { id } })),
    demand: null,
    bill: null,
    ...changes,
  };
}

export function aBill(index: number, changes: Partial<BillRow> = {}): BillRow {
  const durationMs = String(index * 10);
  const rest = {
    powerCu: "1000",
    priceUsd6PerGcums: "100000",
    startMs: "0",
    block: "5",
    tx: hash(3),
    modelId: hash(200),
    node: { id: "1" },
    standby: [],
  };
  return {
    id: hash(index),
    attempt: 0,
    durationMs,
    amountUsd6: String(index),
    standbyUsd6: "0",
    totalUsd6: String(index),
    state: "Standing",
    refundUsd6: "7",
    timestamp: String(index * 40_000),
    ...rest,
    ...changes,
  };
}

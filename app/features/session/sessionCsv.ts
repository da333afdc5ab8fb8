/** Every bill of a session as a table for a spreadsheet, with every digit, in the order of lane and record. */
import { csvOf } from "../../lib/csv.ts";
import { formatUnitsExact } from "../../lib/format.ts";
import type { SessionBillRow } from "../../lib/subgraph/sessionModel.ts";

const head = [
  "time_utc",
  "node",
  "record",
  "task",
  "kind",
  "power_cu",
  "duration_ms",
  "price_usd_per_1e9_cums",
  "amount_usd",
  "receipts_root",
  "transaction",
];

export function sessionCsv(bills: readonly SessionBillRow[]): string {
  const sorted = [...bills].sort((a, b) => Number(a.node.id) - Number(b.node.id) || Number(a.seq) - Number(b.seq));
  return csvOf({ head, rows: sorted.map(rowOf) });
}

function rowOf(bill: SessionBillRow): string[] {
  return [
    new Date(Number(bill.timestamp) * 1_000).toISOString(),
    bill.node.id,
    bill.seq,
    bill.id,
    bill.kind.toLowerCase(),
    bill.powerCu,
    bill.durationMs,
    formatUnitsExact(BigInt(bill.priceUsd6PerGcums), 6),
    formatUnitsExact(BigInt(bill.amountUsd6), 6),
    bill.receiptsRoot,
    bill.tx,
  ];
}

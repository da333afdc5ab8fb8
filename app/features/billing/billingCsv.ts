/** The lines shown as a table for a spreadsheet, with every digit. */
import { csvOf } from "../../lib/csv.ts";
import { formatUnitsExact } from "../../lib/format.ts";
import { modelTitle } from "../../lib/models.ts";
import type { BillingLine } from "./billingRows.ts";

const head = [
  "time_utc",
  "task",
  "model",
  "state",
  "node",
  "power_cu",
  "duration_ms",
  "price_usd_per_1e9_cums",
  "amount_usd",
  "standby_usd",
  "bond_lost_usd",
  "refund_usd",
  "transaction",
  "session",
  "records",
];

export function billingCsv(lines: readonly BillingLine[]): string {
  return csvOf({ head, rows: lines.map(rowOf) });
}

function rowOf(line: BillingLine): string[] {
  return [
    new Date(Number(line.at) * 1_000).toISOString(),
    line.kind === "session" ? "" : line.id,
    modelTitle(line.modelId),
    line.bill === undefined || line.bill === "Standing" ? line.kind : line.bill.toLowerCase(),
    line.nodeId ?? "",
    line.kind === "session" ? "" : String(line.powerCu),
    line.kind === "session" ? "" : String(line.durationMs),
    formatUnitsExact(line.priceUsd6PerGcums, 6),
    formatUnitsExact(line.amountUsd6, 6),
    formatUnitsExact(line.standbyUsd6, 6),
    formatUnitsExact(line.bondUsd6, 6),
    formatUnitsExact(line.refundUsd6, 6),
    line.tx ?? "",
    line.kind === "session" ? line.id : "",
    line.kind === "session" ? String(line.records) : "",
  ];
}

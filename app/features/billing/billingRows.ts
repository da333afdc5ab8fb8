/** The lines of a billing period and their sums. Totals are made of the lines shown and of nothing else. */
import type { Hex } from "viem";
import type { TaskRow } from "../../lib/subgraph/model.ts";

export interface BillingLine {
  taskId: Hex;
  modelId: Hex;
  /** Chain time in seconds of the bill or the return. */
  at: bigint;
  kind: "settled" | "returned";
  nodeId: string | undefined;
  powerCu: bigint;
  durationMs: bigint;
  priceUsd6PerGcums: bigint;
  amountUsd6: bigint;
  refundUsd6: bigint;
  tx: Hex | undefined;
}

export interface BillingTotals {
  amountUsd6: bigint;
  refundUsd6: bigint;
  durationMs: bigint;
  settled: number;
}

export interface DaySpend {
  /** Days since 1970-01-01. */
  day: bigint;
  amountUsd6: bigint;
  settled: number;
  returned: number;
}

export function billingLines(options: { tasks: readonly TaskRow[]; fromS: bigint; modelId?: string }): BillingLine[] {
  const { tasks, fromS, modelId } = options;
  return tasks
    .map(lineOf)
    .filter((line) => line !== undefined)
    .filter((line) => line.at >= fromS && (modelId === undefined || line.modelId === modelId))
    .sort((a, b) => (a.at === b.at ? 0 : a.at < b.at ? 1 : -1));
}

export function billingTotals(lines: readonly BillingLine[]): BillingTotals {
  const none: BillingTotals = { amountUsd6: 0n, refundUsd6: 0n, durationMs: 0n, settled: 0 };
  return lines.reduce(
    (sum, line) => ({
      amountUsd6: sum.amountUsd6 + line.amountUsd6,
      refundUsd6: sum.refundUsd6 + line.refundUsd6,
      durationMs: sum.durationMs + line.durationMs,
      settled: sum.settled + (line.kind === "settled" ? 1 : 0),
    }),
    none,
  );
}

/** Spend and ended tasks per UTC day from the first line to the last day, empty days included. */
export function dailySpend(lines: readonly BillingLine[], lastDay: bigint): DaySpend[] {
  const first = lines.at(-1);
  if (first === undefined) return [];
  const days: DaySpend[] = [];
  for (let day = first.at / secondsPerDay; day <= lastDay; day++) {
    const ofDay = lines.filter((line) => line.at / secondsPerDay === day);
    const settled = ofDay.filter(({ kind }) => kind === "settled").length;
    const amountUsd6 = ofDay.reduce((sum, line) => sum + line.amountUsd6, 0n);
    days.push({ day, amountUsd6, settled, returned: ofDay.length - settled });
  }
  return days;
}

export const secondsPerDay = 86_400n;

function lineOf(task: TaskRow): BillingLine | undefined {
  const { bill } = task;
  if (bill !== null && bill !== undefined) {
    return {
      taskId: task.id,
      modelId: task.modelId,
      at: BigInt(bill.timestamp),
      kind: "settled",
      nodeId: bill.node.id,
      powerCu: BigInt(bill.powerCu),
      durationMs: BigInt(bill.durationMs),
      priceUsd6PerGcums: BigInt(bill.priceUsd6PerGcums),
      amountUsd6: BigInt(bill.amountUsd6),
      refundUsd6: BigInt(bill.refundUsd6),
      tx: bill.tx,
    };
  }
  if (task.refundedAt === null || task.refundedAt === undefined) return undefined;
  return {
    taskId: task.id,
    modelId: task.modelId,
    at: BigInt(task.refundedAt),
    kind: "returned",
    nodeId: undefined,
    powerCu: 0n,
    durationMs: 0n,
    priceUsd6PerGcums: BigInt(task.priceUsd6PerGcums),
    amountUsd6: 0n,
    refundUsd6: BigInt(task.refundUsd6 ?? task.maxAmountUsd6),
    tx: task.refundedTx ?? undefined,
  };
}

/**
 * The lines of a billing period and their sums: a line for each task that ended, and one for what a transaction settled
 * in a lane of a session. Totals are made of the lines shown and of nothing else.
 */
import type { Hex } from "viem";
import type { TaskRow } from "../../lib/subgraph/model.ts";
import type { SettledVoucherRow } from "../../lib/subgraph/sessionModel.ts";

export interface BillingLine {
  /** Of this line among all. */
  key: string;
  kind: "settled" | "returned" | "session";
  /** The task, or the session whose vouchers were settled. */
  id: Hex;
  modelId: Hex;
  /** Chain time in seconds of the bill or the return. */
  at: bigint;
  /** Session records that the line stands for; 0 for a task. */
  records: bigint;
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
  /** The part of it that single tasks cost. */
  tasksUsd6: bigint;
  refundUsd6: bigint;
  durationMs: bigint;
  settled: number;
  /** Records of sessions. */
  records: bigint;
}

export interface DaySpend {
  /** Days since 1970-01-01. */
  day: bigint;
  amountUsd6: bigint;
  settled: number;
  returned: number;
  records: bigint;
}

export function billingLines(options: {
  tasks: readonly TaskRow[];
  vouchers?: readonly SettledVoucherRow[];
  fromS: bigint;
  modelId?: string;
}): BillingLine[] {
  const { tasks, vouchers = [], fromS, modelId } = options;
  return [...tasks.map(lineOf).filter((line) => line !== undefined), ...sessionLines(vouchers)]
    .filter((line) => line.at >= fromS && (modelId === undefined || line.modelId === modelId))
    .sort((a, b) => (a.at === b.at ? 0 : a.at < b.at ? 1 : -1));
}

export function billingTotals(lines: readonly BillingLine[]): BillingTotals {
  const none: BillingTotals = {
    amountUsd6: 0n,
    tasksUsd6: 0n,
    refundUsd6: 0n,
    durationMs: 0n,
    settled: 0,
    records: 0n,
  };
  return lines.reduce(
    (sum, line) => ({
      amountUsd6: sum.amountUsd6 + line.amountUsd6,
      tasksUsd6: sum.tasksUsd6 + (line.kind === "session" ? 0n : line.amountUsd6),
      refundUsd6: sum.refundUsd6 + line.refundUsd6,
      durationMs: sum.durationMs + line.durationMs,
      settled: sum.settled + (line.kind === "settled" ? 1 : 0),
      records: sum.records + line.records,
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
    const returned = ofDay.filter(({ kind }) => kind === "returned").length;
    const records = ofDay.reduce((sum, line) => sum + line.records, 0n);
    days.push({ day, amountUsd6, settled, returned, records });
  }
  return days;
}

export const secondsPerDay = 86_400n;

function lineOf(task: TaskRow): BillingLine | undefined {
  const { bill } = task;
  if (bill !== null && bill !== undefined) {
    return {
      key: task.id,
      id: task.id,
      records: 0n,
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
    key: task.id,
    id: task.id,
    records: 0n,
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

/** One line for what a transaction settled in one lane, however many vouchers that were. */
function sessionLines(vouchers: readonly SettledVoucherRow[]): BillingLine[] {
  const lines = new Map<string, BillingLine>();
  for (const { session, node, tx, timestamp, amountUsd6, records } of vouchers) {
    const key = `${session.id}-${node.id}-${tx}`;
    const line = lines.get(key);
    lines.set(key, {
      key,
      kind: "session",
      id: session.id,
      modelId: session.modelId,
      at: BigInt(timestamp),
      records: (line?.records ?? 0n) + BigInt(records),
      nodeId: node.id,
      powerCu: 0n,
      durationMs: 0n,
      priceUsd6PerGcums: BigInt(session.priceUsd6PerGcums),
      amountUsd6: (line?.amountUsd6 ?? 0n) + BigInt(amountUsd6),
      refundUsd6: 0n,
      tx,
    });
  }
  return [...lines.values()];
}

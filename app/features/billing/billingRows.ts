/**
 * The lines of a billing period and their sums: a line for each task that ended, with standby and what came of a
 * demand, and one for what a transaction settled in a lane of a session. Totals are made of the lines shown and of
 * nothing else.
 */
import type { Hex } from "viem";
import type { ValueOf } from "../../lib/enumWords.ts";
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
  /** The bill; nothing of one that was forfeited. */
  amountUsd6: bigint;
  /** What backups were paid for standing by. */
  standbyUsd6: bigint;
  /** The bond of a demand, if keepers held the output. */
  bondUsd6: bigint;
  /** What came back: the rest of the escrow, and a bill that was forfeited. */
  refundUsd6: bigint;
  /** Of a settled task, where its bill stands. */
  bill: ValueOf<"BillState"> | undefined;
  tx: Hex | undefined;
}

export interface BillingTotals {
  amountUsd6: bigint;
  standbyUsd6: bigint;
  bondUsd6: bigint;
  /** All that it cost: bills, standby and bonds. */
  costUsd6: bigint;
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
  costUsd6: bigint;
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
    standbyUsd6: 0n,
    bondUsd6: 0n,
    costUsd6: 0n,
    tasksUsd6: 0n,
    refundUsd6: 0n,
    durationMs: 0n,
    settled: 0,
    records: 0n,
  };
  return lines.reduce(
    (sum, line) => ({
      amountUsd6: sum.amountUsd6 + line.amountUsd6,
      standbyUsd6: sum.standbyUsd6 + line.standbyUsd6,
      bondUsd6: sum.bondUsd6 + line.bondUsd6,
      costUsd6: sum.costUsd6 + costOf(line),
      tasksUsd6: sum.tasksUsd6 + (line.kind === "session" ? 0n : costOf(line)),
      refundUsd6: sum.refundUsd6 + line.refundUsd6,
      durationMs: sum.durationMs + line.durationMs,
      settled: sum.settled + (line.kind === "settled" ? 1 : 0),
      records: sum.records + line.records,
    }),
    none,
  );
}

/** All that a line cost its payer. */
export function costOf({ amountUsd6, standbyUsd6, bondUsd6 }: BillingLine): bigint {
  return amountUsd6 + standbyUsd6 + bondUsd6;
}

/** Spend and ended tasks per UTC day from the first line to the last day, empty days included. */
export function dailySpend(lines: readonly BillingLine[], lastDay: bigint): DaySpend[] {
  const first = lines.at(-1);
  if (first === undefined) return [];
  const days: DaySpend[] = [];
  for (let day = first.at / secondsPerDay; day <= lastDay; day++) {
    const ofDay = lines.filter((line) => line.at / secondsPerDay === day);
    const settled = ofDay.filter(({ kind }) => kind === "settled").length;
    const costUsd6 = ofDay.reduce((sum, line) => sum + costOf(line), 0n);
    const returned = ofDay.filter(({ kind }) => kind === "returned").length;
    const records = ofDay.reduce((sum, line) => sum + line.records, 0n);
    days.push({ day, costUsd6, settled, returned, records });
  }
  return days;
}

export const secondsPerDay = 86_400n;

const nothing = { amountUsd6: 0n, standbyUsd6: 0n, bondUsd6: 0n, bill: undefined };

function lineOf(task: TaskRow): BillingLine | undefined {
  const { bill } = task;
  if (bill !== null && bill !== undefined) {
    const isForfeited = bill.state === "Forfeited";
    const amountUsd6 = BigInt(bill.amountUsd6);
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
      amountUsd6: isForfeited ? 0n : amountUsd6,
      standbyUsd6: BigInt(bill.standbyUsd6),
      bondUsd6: bill.state === "Delivered" ? BigInt(task.demand?.bondUsd6 ?? 0) : 0n,
      refundUsd6: BigInt(bill.refundUsd6) + (isForfeited ? amountUsd6 : 0n),
      bill: bill.state,
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
    ...nothing,
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
      ...nothing,
      amountUsd6: (line?.amountUsd6 ?? 0n) + BigInt(amountUsd6),
      refundUsd6: 0n,
      tx,
    });
  }
  return [...lines.values()];
}

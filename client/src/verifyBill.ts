/**
 * Recomputes a task's bill from the chain alone, step by step, so that anyone can check it by hand: the price against
 * the post, the power against the assignment, the duration against the work cap, the amount against the formula, the
 * standby against who accepted, the refund against the escrow. Amount, standby and refund are the whole escrow.
 */
import { amountUsd6, capMs, maxAmountUsd6, standbyUsd6 } from "@ngpu/protocol/units";
import { readTaskTimeline, type TimelineRow } from "./chainTimeline.ts";

export interface BillStep {
  what: string;
  /** The arithmetic with its numbers in it. */
  arithmetic: string;
  expected: string;
  found: string;
  ok: boolean;
}

export interface BillCheck {
  ok: boolean;
  settled: boolean;
  steps: BillStep[];
}

export async function verifyBill(request: Parameters<typeof readTaskTimeline>[0]): Promise<BillCheck> {
  return checkBill(await readTaskTimeline(request));
}

/** The pure part: from the task's events to the verdict. */
export function checkBill(rows: TimelineRow[]): BillCheck {
  const posted = rows.find((row) => row.stage === "posted")?.args;
  const settled = rows.find((row) => row.stage === "settled")?.args;
  if (posted === undefined || settled === undefined) return { ok: false, settled: false, steps: [] };
  const assigned = rows.find((row) => row.stage === "assigned" && row.args.assignment === settled.assignment)?.args;
  const workCums = posted.workCums as bigint;
  const price = posted.priceUsd6PerGcums as bigint;
  const power = settled.powerCu as number;
  const durationMs = settled.durationMs as number;
  const seats = (assigned?.seats ?? []) as readonly Seat[];
  const position = seats.findIndex(({ nodeId }) => nodeId === settled.nodeId);
  const seat = seats[position];
  const backups = Number(posted.backups);
  const escrowed = maxAmountUsd6({ workCums, priceUsd6PerGcums: price, backups });
  const amount = amountUsd6({ powerCu: power, durationMs, priceUsd6PerGcums: price });
  const cap = capMs({ workCums, powerCu: power });
  const paid = settled.amountUsd6 as bigint;
  const eachStandby = standbyUsd6(amount);
  const isNone = seat === undefined || eachStandby === 0n;
  const ready = isNone ? [] : readyBehind({ rows, seats, position, assignment: settled.assignment });
  const standby = BigInt(ready.length) * eachStandby;
  const steps = [
    step("Price is the one frozen when posted", "price of the post", price, settled.priceUsd6PerGcums),
    step("Node was assigned", `seats ${seats.map(({ nodeId }) => nodeId).join(", ")}`, settled.nodeId, seat?.nodeId),
    step("Power is the one frozen at assignment", "power of the assignment", seat?.powerCu, power),
    {
      what: "Duration is within the work cap",
      arithmetic: `⌊${workCums} CU·ms × 5 ÷ (4 × ${power} CU)⌋ = ${cap} ms`,
      expected: `≤ ${cap} ms`,
      found: `${durationMs} ms`,
      ok: durationMs <= cap,
    },
    step("Amount is power × duration × price", `⌊${power} CU × ${durationMs} ms × ${price} ÷ 10⁹⌋ = ${amount}`, amount, paid),
    step(
      "Standby is a tenth of the amount for each backup that held the input ready",
      `${ready.length} × ⌊${amount} ÷ 10⌋ = ${standby}`,
      `${standby} to ${nodesIn(ready)}`,
      `${settled.standbyUsd6} to ${nodesIn(paidStandby(rows))}`,
    ),
    step(
      "Refund is the rest of the escrow",
      `${escrowed} − ${amount} − ${standby} = ${escrowed - amount - standby}`,
      escrowed - amount - standby,
      settled.refundUsd6,
    ),
  ];
  return { ok: steps.every((entry) => entry.ok), settled: true, steps };
}

interface Seat {
  nodeId: number;
  powerCu: number;
}

/** Nodes behind the one that executed, of the same assignment, that accepted and signed no failure. */
function readyBehind(request: {
  rows: TimelineRow[];
  seats: readonly Seat[];
  position: number;
  assignment: unknown;
}): unknown[] {
  const { rows, seats, position, assignment } = request;
  const said = (stage: TimelineRow["stage"], nodeId: number): boolean =>
    rows.some((row) => row.stage === stage && row.args.nodeId === nodeId && row.args.assignment === assignment);
  return seats
    .slice(position + 1)
    .map(({ nodeId }) => nodeId)
    .filter((nodeId) => said("accepted", nodeId) && !said("attemptFailed", nodeId));
}

function paidStandby(rows: TimelineRow[]): unknown[] {
  return rows.filter(({ stage }) => stage === "standbyPaid").map(({ args }) => args.nodeId);
}

function nodesIn(nodeIds: unknown[]): string {
  return nodeIds.length === 0 ? "nobody" : `node ${nodeIds.join(", ")}`;
}

function step(what: string, arithmetic: string, expected: unknown, found: unknown): BillStep {
  return { what, arithmetic, expected: String(expected), found: String(found), ok: String(expected) === String(found) };
}


/**
 * Recomputes a task's bill from the chain alone, step by step, so that anyone can check it by hand: the words of the events against
 * the digest that the contract keeps, the price against the post, the power against the assignment, the duration against the work
 * cap, the amount against the formula, each backup's standby, and the refund against the escrow.
 */
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { limits } from "@ngpu/protocol/limits";
import { settlementDigest } from "@ngpu/protocol/taskDigest";
import { settlementOf, termsOf, type AssignedFields, type PostedFields, type SettledFields } from "@ngpu/protocol/taskWords";
import { amountUsd6, capMs, maxAmountUsd6, maxBillUsd6, standbyUsd6 } from "@ngpu/protocol/units";
import type { Hex } from "viem";
import { answered } from "./answered.ts";
import { argsOf, readTaskTimeline, type TimelineRow } from "./chainTimeline.ts";

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
  const { chain, deployment, taskId } = request;
  const call = { address: deployment.taskEscrow, abi: taskEscrowAbi, functionName: "stateOf", args: [taskId] } as const;
  const [rows, { digest }] = await Promise.all([readTaskTimeline(request), answered(chain.readContract(call))]);
  return checkBill({ rows, digest });
}

/** The pure part: from the task's events, and the digest of its slot, to the verdict. */
export function checkBill({ rows, digest }: { rows: readonly TimelineRow[]; digest: Hex }): BillCheck {
  const posted = argsOf<PostedFields>(rows, "posted");
  const settled = argsOf<SettledFields & BilledFields>(rows, "settled");
  if (posted === undefined || settled === undefined) return { ok: false, settled: false, steps: [] };
  const ofAssignment = rows.filter((row) => row.args.assignment === settled.assignment);
  const seats = argsOf<AssignedFields>(ofAssignment, "assigned")?.seats ?? [];
  const seat = seats.find(({ nodeId }) => nodeId === settled.nodeId);
  const { workCums, priceUsd6PerGcums: price, backups } = posted;
  const { powerCu: power, durationMs } = settled;
  const most = maxBillUsd6({ workCums, priceUsd6PerGcums: price });
  const escrowed = maxAmountUsd6({ workCums, priceUsd6PerGcums: price, backups });
  const amount = amountUsd6({ powerCu: power, durationMs, priceUsd6PerGcums: price });
  const cap = capMs({ workCums, powerCu: power });
  const standby = standbySteps({ rows, ofAssignment, seats, settled, amount });
  const rest = escrowed - amount - standby.totalUsd6;
  const names = seats.map(({ nodeId }) => `node-${nodeId}`).join(", ");
  const steps = [
    step(
      "Terms and settlement are those that the chain keeps",
      "first 23 bytes of keccak256(keccak256(terms), keccak256(settlement))",
      digest.toLowerCase(),
      settlementDigest(termsOf(posted), settlementOf({ posted, settled })),
    ),
    step("Price is the one frozen when posted", "price of the post", price, settled.priceUsd6PerGcums),
    step("Node was assigned", `seats in their order: ${names}`, settled.nodeId, seat?.nodeId),
    step("Power is the one frozen at assignment", "power of the assignment", seat?.powerCu, power),
    {
      what: "Duration is within the work cap",
      arithmetic: `⌊${workCums} CU·ms × 5 ÷ (4 × ${power} CU)⌋ = ${cap} ms`,
      expected: `≤ ${cap} ms`,
      found: `${durationMs} ms`,
      ok: durationMs <= cap,
    },
    step("Amount is power × duration × price", `⌊${power} CU × ${durationMs} ms × ${price} ÷ 10⁹⌋ = ${amount}`, amount, settled.amountUsd6),
    ...standby.steps,
    step("Standby is the sum of its lines", standby.sum, standby.totalUsd6, settled.standbyUsd6),
    step(
      "Refund is the rest of the escrow",
      `${most} + ${backups} × ⌊${most} ÷ 10⌋ − ${amount} − ${standby.totalUsd6} = ${rest}`,
      rest,
      settled.refundUsd6,
    ),
    ...forfeitSteps(rows, amount),
  ];
  return { ok: steps.every((entry) => entry.ok), settled: true, steps };
}

interface BilledFields {
  priceUsd6PerGcums: bigint;
  standbyUsd6: bigint;
  refundUsd6: bigint;
}

/** A backup stands by if it accepted, signed no failure and sits behind the seat that executed. */
function standbySteps(request: {
  rows: readonly TimelineRow[];
  ofAssignment: readonly TimelineRow[];
  seats: AssignedFields["seats"];
  settled: SettledFields;
  amount: bigint;
}): { steps: BillStep[]; totalUsd6: bigint; sum: string } {
  const { rows, ofAssignment, seats, settled, amount } = request;
  const executed = seats.findIndex(({ nodeId }) => nodeId === settled.nodeId);
  const says = (stage: "accepted" | "attemptFailed", id: number): boolean =>
    ofAssignment.some((row) => row.stage === stage && row.args.nodeId === id);
  const behind = executed === -1 ? [] : seats.slice(executed + 1);
  const due = behind.filter(({ nodeId }) => says("accepted", nodeId) && !says("attemptFailed", nodeId)).map(({ nodeId }) => nodeId);
  const paid = new Map(
    rows.filter(({ stage }) => stage === "standbyPaid").map(({ args }) => [args.nodeId as number, args.amountUsd6 as bigint]),
  );
  const each = standbyUsd6(amount);
  const percent = limits.standbyBps / 100n;
  const steps = [...new Set([...due, ...paid.keys()])].map((nodeId) =>
    step(
      `node-${nodeId} stood by`,
      due.includes(nodeId)
        ? `it accepted and sits behind node-${settled.nodeId}: ⌊${percent} % of ${amount}⌋ = ${each}`
        : "it did not accept, signed a failure, or does not sit behind the node that executed",
      due.includes(nodeId) ? each : 0n,
      paid.get(nodeId) ?? 0n,
    ),
  );
  const sum = due.length === 0 ? "no backup stood by" : due.map(() => String(each)).join(" + ");
  return { steps, totalUsd6: each * BigInt(due.length), sum };
}

/** What was forfeited is the bill, no less and no more: standby stays paid. */
function forfeitSteps(rows: readonly TimelineRow[], amount: bigint): BillStep[] {
  const forfeited = argsOf<{ amountUsd6: bigint }>(rows, "forfeited");
  if (forfeited === undefined) return [];
  return [step("All of the bill was forfeited to the payer", "the bill, standby not included", amount, forfeited.amountUsd6)];
}

function step(what: string, arithmetic: string, expected: unknown, found: unknown): BillStep {
  return { what, arithmetic, expected: String(expected), found: String(found), ok: String(expected) === String(found) };
}

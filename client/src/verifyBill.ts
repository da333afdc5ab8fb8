/**
 * Recomputes a task's bill from the chain alone, step by step, so that anyone can check it by hand: the price against the post, the
 * power against the assignment, the duration against the work cap, the amount against the formula, the refund against the escrow.
 */
import { amountUsd6, capMs, maxAmountUsd6 } from "@ngpu/protocol/units";
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
  const isPrimary = assigned?.primary === settled.nodeId;
  const frozenPower = isPrimary ? assigned?.primaryPowerCu : assigned?.backupPowerCu;
  const escrowed = maxAmountUsd6({ workCums, priceUsd6PerGcums: price });
  const amount = amountUsd6({ powerCu: power, durationMs, priceUsd6PerGcums: price });
  const cap = capMs({ workCums, powerCu: power });
  const paid = settled.amountUsd6 as bigint;
  const steps = [
    step("Price is the one frozen when posted", "price of the post", price, settled.priceUsd6PerGcums),
    step("Node was assigned", `primary ${assigned?.primary}, backup ${assigned?.backup}`, settled.nodeId, isPrimary ? assigned?.primary : assigned?.backup),
    step("Power is the one frozen at assignment", "power of the assignment", frozenPower, power),
    {
      what: "Duration is within the work cap",
      arithmetic: `⌊${workCums} CU·ms × 5 ÷ (4 × ${power} CU)⌋ = ${cap} ms`,
      expected: `≤ ${cap} ms`,
      found: `${durationMs} ms`,
      ok: durationMs <= cap,
    },
    step("Amount is power × duration × price", `⌊${power} CU × ${durationMs} ms × ${price} ÷ 10⁹⌋ = ${amount}`, amount, paid),
    step("Refund is the rest of the escrow", `⌊${workCums} × 5 × ${price} ÷ (4 × 10⁹)⌋ − ${amount} = ${escrowed - amount}`, escrowed - amount, settled.refundUsd6),
  ];
  return { ok: steps.every((entry) => entry.ok), settled: true, steps };
}

function step(what: string, arithmetic: string, expected: unknown, found: unknown): BillStep {
  return { what, arithmetic, expected: String(expected), found: String(found), ok: String(expected) === String(found) };
}


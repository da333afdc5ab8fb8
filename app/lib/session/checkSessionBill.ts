/**
 * Recomputes one bill of a session from the vouchers that the chain settled in its lane: the record out of the packed
 * bills, the amount as the difference of the lane's cumulative sums after and before it. Pure; every step can be done
 * by hand.
 */
import type { BillCheck, BillStep } from "@ngpu/client/verifyBill";
import { unpackBills, weightOf, type BillRecord } from "@ngpu/protocol/session/packedBills";
import { dueUsd6 } from "@ngpu/protocol/session/sessionMoney";
import { sessionTaskIdOf } from "@ngpu/protocol/session/voucherChain";
import type { Hex } from "viem";

/** What BillsSettled says. */
export interface SettledVoucher {
  firstSeq: bigint;
  powerCu: number;
  priceUsd6PerGcums: bigint;
  cumulativeUsd6: bigint;
  bills: Hex;
}

/** A bill as the index shows it. */
export interface ShownBill {
  id: Hex;
  seq: bigint;
  kind: "Execution" | "Standby";
  durationMs: bigint;
  powerCu: bigint;
  priceUsd6PerGcums: bigint;
  amountUsd6: bigint;
}

export function checkSessionBill(request: {
  lane: { sessionId: Hex; nodeId: number };
  bill: ShownBill;
  /** Every voucher of the lane up to the bill's, oldest first. */
  vouchers: readonly SettledVoucher[];
  /** By the contract's own record, not by an event. */
  frozen: { priceUsd6PerGcums: bigint; powerCu: number };
}): BillCheck {
  const { lane, bill, vouchers, frozen } = request;
  const unpacked = vouchers.map((voucher) => ({ ...voucher, records: unpackBills(voucher.bills) }));
  const index = unpacked.findIndex(
    ({ firstSeq, records }) => bill.seq >= firstSeq && bill.seq < firstSeq + BigInt(records.length),
  );
  const voucher = unpacked[index];
  const at = voucher === undefined ? -1 : Number(bill.seq - voucher.firstSeq);
  const record = voucher?.records[at];
  if (voucher === undefined || record === undefined) return { ok: false, settled: false, steps: [] };

  const earlier = unpacked.slice(0, index).flatMap(({ records }) => records);
  const before = weightOf([...earlier, ...voucher.records.slice(0, at)]);
  const after = before + weightOf([record]);
  const terms = { powerCu: voucher.powerCu, priceUsd6PerGcums: voucher.priceUsd6PerGcums };
  const [dueBefore, dueAfter] = [dueUsd6({ weight: before, ...terms }), dueUsd6({ weight: after, ...terms })];
  const wholeWeight = weightOf([...earlier, ...voucher.records]);
  const floor = (weight: bigint): string => `⌊${weight} × ${terms.powerCu} CU × ${terms.priceUsd6PerGcums} ÷ 10¹³⌋`;
  const factor = record.kind === "standby" ? "1,000" : "10,000";
  const steps = [
    step(
      "Task id is that of the record",
      `keccak256(session, node-${lane.nodeId}, ${bill.seq})`,
      sessionTaskIdOf({ ...lane, seq: bill.seq }),
      bill.id,
    ),
    step(
      "Records follow one another without a gap",
      `${earlier.length} records before voucher ${index + 1}, from number 1`,
      BigInt(earlier.length) + 1n,
      voucher.firstSeq,
    ),
    step(
      "Kind and time are those of the voucher",
      `record ${at + 1} of ${voucher.records.length} in its packed bills`,
      wordsOf(record),
      `${bill.kind.toLowerCase()}, ${bill.durationMs} ms`,
    ),
    step(
      "Price is the one frozen when the session opened",
      "price of the session, of the voucher and of the bill",
      `${frozen.priceUsd6PerGcums}, ${frozen.priceUsd6PerGcums}`,
      `${voucher.priceUsd6PerGcums}, ${bill.priceUsd6PerGcums}`,
    ),
    step(
      "Power is the one frozen when the lane began",
      "power of the lane, of the voucher and of the bill",
      `${frozen.powerCu}, ${frozen.powerCu}`,
      `${voucher.powerCu}, ${bill.powerCu}`,
    ),
    step(
      "Amount is what the record adds to the lane's sum",
      `${floor(after)} − ${floor(before)} = ${dueAfter} − ${dueBefore}; ${record.ms} ms weigh ${factor} each`,
      dueAfter - dueBefore,
      bill.amountUsd6,
    ),
    step(
      "The voucher's sum is that of all its records",
      `${floor(wholeWeight)}`,
      dueUsd6({ weight: wholeWeight, ...terms }),
      voucher.cumulativeUsd6,
    ),
  ];
  return { ok: steps.every(({ ok }) => ok), settled: true, steps };
}

function wordsOf({ kind, ms }: BillRecord): string {
  return `${kind}, ${ms} ms`;
}

function step(what: string, arithmetic: string, expected: unknown, found: unknown): BillStep {
  return { what, arithmetic, expected: String(expected), found: String(found), ok: String(expected) === String(found) };
}

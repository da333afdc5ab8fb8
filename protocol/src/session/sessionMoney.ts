/** The money arithmetic of a lane, equal to contracts/libraries/SessionMoney.sol. Integers only, rounded down. */
import { limits } from "../limits.ts";
import { billing } from "./packedBills.ts";

/** Basis points in a whole. */
const BPS = 10_000n;

/** What a lane has cost over its life: ⌊weight × power × price ÷ 10¹³⌋ in payment-token base units. */
export function dueUsd6(lane: { weight: bigint; powerCu: number; priceUsd6PerGcums: bigint }): bigint {
  return (lane.weight * BigInt(lane.powerCu) * lane.priceUsd6PerGcums) / (limits.cumsPerPrice * billing.executionBps);
}

/** The treasury's part of a payment. */
export function feeUsd6(paidUsd6: bigint, feeBps: number): bigint {
  return (paidUsd6 * BigInt(feeBps)) / BPS;
}

/** What a settlement moves: what is due and not paid, as far as the allotment reaches; the rest is owed. */
export function payLane(lane: { dueUsd6: bigint; paidUsd6: bigint; allotmentUsd6: bigint }): {
  paidUsd6: bigint;
  owedUsd6: bigint;
} {
  const target = lane.dueUsd6 < lane.allotmentUsd6 ? lane.dueUsd6 : lane.allotmentUsd6;
  return { paidUsd6: target - lane.paidUsd6, owedUsd6: lane.dueUsd6 - target };
}

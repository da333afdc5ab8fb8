/** The money arithmetic of docs/PROTOCOL.md §1, equal to contracts/libraries/Billing.sol. Integers only, rounded down. */
import { limits } from "./limits.ts";

/** amount = ⌊powerCu × durationMs × price ÷ 10⁹⌋ in payment-token base units. */
export function amountUsd6(bill: { powerCu: number; durationMs: number; priceUsd6PerGcums: bigint }): bigint {
  return (BigInt(bill.powerCu) * BigInt(bill.durationMs) * bill.priceUsd6PerGcums) / limits.cumsPerPrice;
}

/** Longest billable duration: ⌊work × 5 ÷ (4 × powerCu)⌋ in ms, at most what a u32 holds. */
export function capMs(task: { workCums: bigint; powerCu: number }): number {
  if (task.powerCu === 0) return 0;
  const cap = (task.workCums * limits.capNumerator) / (limits.capDenominator * BigInt(task.powerCu));
  return cap > 0xffff_ffffn ? 0xffff_ffff : Number(cap);
}

/** What a post escrows: the largest bill, and the standby of it for each backup, in payment-token base units. */
export function maxAmountUsd6(task: { workCums: bigint; priceUsd6PerGcums: bigint; backups: number }): bigint {
  const billUsd6 = maxBillUsd6(task);
  return billUsd6 + BigInt(task.backups) * standbyUsd6(billUsd6);
}

/** What one backup that held the input ready earns of a bill: ⌊bill × standby share⌋ in payment-token base units. */
export function standbyUsd6(billUsd6: bigint): bigint {
  return (billUsd6 * limits.standbyBps) / 10_000n;
}

/** The largest bill: ⌊work × 5 × price ÷ (4 × 10⁹)⌋ in payment-token base units. */
export function maxBillUsd6(task: { workCums: bigint; priceUsd6PerGcums: bigint }): bigint {
  return (
    (task.workCums * limits.capNumerator * task.priceUsd6PerGcums) / (limits.capDenominator * limits.cumsPerPrice)
  );
}

/** The largest work that `TaskEscrow.assign` gives a node, equal to contracts/libraries/TaskFit.sol, in CU·ms. */
export function mostCums(fit: {
  powerCu: number;
  stakeWei: bigint;
  leftS: number;
  priceUsd6PerGcums: bigint;
  stakeWeiPerUsd6: bigint;
}): bigint {
  const byTime = BigInt(fit.powerCu) * BigInt(Math.max(fit.leftS, 0)) * 1_000n;
  const mostUsd6 = fit.stakeWei / (limits.stakePerTask * fit.stakeWeiPerUsd6);
  const byStake =
    (mostUsd6 * limits.capDenominator * limits.cumsPerPrice) / (limits.capNumerator * fit.priceUsd6PerGcums);
  return byTime < byStake ? byTime : byStake;
}

/** What an account lacks for an amount that is taken of its available money first. */
export function shortfallUsd6({ availableUsd6, neededUsd6 }: { availableUsd6: bigint; neededUsd6: bigint }): bigint {
  return availableUsd6 >= neededUsd6 ? 0n : neededUsd6 - availableUsd6;
}

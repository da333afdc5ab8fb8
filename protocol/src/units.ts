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

/** The highest bill of a task: ⌊work × 5 × price ÷ (4 × 10⁹)⌋ in payment-token base units. */
export function maxAmountUsd6(task: { workCums: bigint; priceUsd6PerGcums: bigint }): bigint {
  return (
    (task.workCums * limits.capNumerator * task.priceUsd6PerGcums) / (limits.capDenominator * limits.cumsPerPrice)
  );
}

/** What one backup earns that held the input ready and was not needed: a tenth of the bill, rounded down. */
export function standbyAmountUsd6(amount: bigint): bigint {
  return (amount * limits.standbyBps) / limits.bps;
}

/** What a post escrows: its highest bill, and the standby of that for each backup asked for. */
export function maxEscrowUsd6(task: { workCums: bigint; priceUsd6PerGcums: bigint; backups: number }): bigint {
  const most = maxAmountUsd6(task);
  return most + BigInt(task.backups) * standbyAmountUsd6(most);
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

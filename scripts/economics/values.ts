/** Conversions and amounts that several attacks share. Everything ends in base units of the payment token. */
import type { NodeCase } from "./attack.ts";
import type { Parameters } from "./parameters.ts";

const BPS = 10_000n;

/** Stake token to base units, rounded down. */
export function ngpuUsd6({ ngpuUsd8 }: Pick<Parameters, "ngpuUsd8">, wei: bigint): bigint {
  return (wei * ngpuUsd8) / 10n ** 20n;
}

/** Coin of the chain to base units, rounded down. */
export function coinUsd6({ coinUsd6 }: Pick<Parameters, "coinUsd6">, wei: bigint): bigint {
  return (wei * coinUsd6) / 10n ** 18n;
}

export function shareDown(amount: bigint, bps: bigint): bigint {
  return (amount * bps) / BPS;
}

export function shareUp(amount: bigint, bps: bigint): bigint {
  return (amount * bps + BPS - 1n) / BPS;
}

/** A share of the node's stake, in base units. */
export function stakeShareUsd6(parameters: Parameters, node: NodeCase, bps: bigint): bigint {
  return shareDown(ngpuUsd6(parameters, node.stakeWei), bps);
}

/** What so many ms of the node cost. */
export function timeUsd6(parameters: Parameters, node: NodeCase, ms: bigint): bigint {
  return (node.powerCu * ms * parameters.priceUsd6PerGcums) / parameters.cumsPerPrice;
}

/** The bill of the largest task that a node can honestly finish before the latest deadline, at the work it declares. */
export function largestWorkUsd6(parameters: Parameters, node: NodeCase): bigint {
  return timeUsd6(parameters, node, parameters.maxDeadlineS * 1_000n);
}

/** What that task can cost at most: its work times the work cap. */
export function largestTaskUsd6(parameters: Parameters, node: NodeCase): bigint {
  return (largestWorkUsd6(parameters, node) * parameters.capNumerator) / parameters.capDenominator;
}

/** That task, or the largest that the node's stake lets it take where the escrow compares the two. */
export function largestFittingTaskUsd6(parameters: Parameters, node: NodeCase): bigint {
  const largest = largestTaskUsd6(parameters, node);
  if (parameters.workFitsNode === 0n) return largest;
  return least(largest, ngpuUsd6(parameters, node.stakeWei) / parameters.stakePerTask);
}

/** What one backup that was not needed earns of a bill. */
export function backupStandbyUsd6(parameters: Parameters, billUsd6: bigint): bigint {
  return shareDown(billUsd6, parameters.backupStandbyBps);
}

/** What a payer escrows for a task whose bill can be so much: the standby of every backup that it asked for besides. */
export function maximumUsd6(parameters: Parameters, billUsd6: bigint, backups: bigint): bigint {
  return billUsd6 + backups * backupStandbyUsd6(parameters, billUsd6);
}

/** What a payer bets when it demands the output of a bill. */
export function demandBondUsd6({ billPerBond, minimumDemandBondUsd6 }: Parameters, billUsd6: bigint): bigint {
  const shareUsd6 = billUsd6 / billPerBond;
  return shareUsd6 > minimumDemandBondUsd6 ? shareUsd6 : minimumDemandBondUsd6;
}

/** What a wrong result costs its node, times the chance that the seed samples it and a keeper disputes it. */
export function auditedUsd6(parameters: Parameters, node: NodeCase): bigint {
  const chanceBps = parameters.auditSeeds === 0n ? 0n : parameters.sampleBps;
  return shareDown(stakeShareUsd6(parameters, node, parameters.resultBps), chanceBps);
}

/** A slash, less what an accomplice gets back for reporting it first. */
export function selfReportedSlashUsd6(parameters: Parameters, node: NodeCase, bps: bigint): bigint {
  return shareDown(stakeShareUsd6(parameters, node, bps), BPS - parameters.maxChallengerBps);
}

/** What an assignment of others than the drawn costs its keeper: the half of a post's bond that burns. */
export function assignedFalselyUsd6(parameters: Parameters): bigint {
  return parameters.drawEnforced === 0n ? 0n : ngpuUsd6(parameters, parameters.postBondWei) / 2n;
}

export function least(...amounts: [bigint, ...bigint[]]): bigint {
  return amounts.reduce((a, b) => (a < b ? a : b));
}

export function above(a: bigint, b: bigint): bigint {
  return a > b ? a - b : 0n;
}

/** How often canaries meet a node, where quality is felt, and how its record can be left behind. */
import { canaryBackups } from "@ngpu/keeper/audits/postCanary";
import type { Parameters } from "./parameters.ts";
import { least, maximumUsd6 } from "./values.ts";

const DAY_MS = 86_400_000n;

/** True where a lower quality costs its node tasks of the direct rail. */
export function isQualityFelt({ auditsRun, drawEnforced, seatsByWeight }: Parameters): boolean {
  return auditsRun !== 0n && (drawEnforced !== 0n || seatsByWeight !== 0n);
}

/** Canaries a day that can bill so much each: as many as are planned, or as the budget pays for. */
export function canariesPerDay(parameters: Parameters, billUsd6: bigint): bigint {
  const { auditsPerDay, auditBudgetUsd6 } = parameters;
  const mostUsd6 = maximumUsd6(parameters, billUsd6, BigInt(canaryBackups));
  return mostUsd6 === 0n ? auditsPerDay : least(auditsPerDay, auditBudgetUsd6 / mostUsd6);
}

/**
 * Mean time between two canaries of one node that bill so much: of all, and of such a share of them. Undefined where
 * there is none: a node that cheats in such tasks alone meets no canary.
 */
export function meetingMs(parameters: Parameters, billUsd6: bigint, sharePercent = 100n): bigint | undefined {
  const perDay = canariesPerDay(parameters, billUsd6) * sharePercent;
  return perDay === 0n ? undefined : (parameters.auditedNodes * DAY_MS * 100n) / perDay;
}

/**
 * Pay that a node forgoes, as time at full pay, which registers anew to leave its record behind: the sum of what a
 * newcomer lacks until its age has earned full quality.
 */
export function anewMs({ newcomerQualityBps, qualityPeriods, ripeningS }: Parameters): bigint {
  return ((10_000n - newcomerQualityBps) * (qualityPeriods + 1n) * ripeningS) / 20n;
}

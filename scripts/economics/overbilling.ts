/**
 * What canaries make of a node that bills the whole cap, by the keeper's own judgement: others of its size bill the
 * work, and so many of its newest results are at the cap.
 */
import { judgeCanaries, judging, type CanaryResult } from "@ngpu/keeper/audits/judgeCanaries";
import { canaryBackups } from "@ngpu/keeper/audits/postCanary";
import type { NodeCase } from "./attack.ts";
import type { Parameters } from "./parameters.ts";
import { anewMs, meetingMs } from "./canaryTimes.ts";
import { above, least, timeUsd6 } from "./values.ts";

const WORK_CUMS = 1_000_000n;
const CHEAT = judging.fewestNodes + 1;

/** Newest results that count. */
export const countedCanaries: number = judging.recent;

/**
 * Quality, in basis points of what the node had, when so many of its newest results are billed at the cap. Three others
 * have billed the work, each for `othersEach` results.
 */
export function qualityAtCapBps(parameters: Parameters, atCap: number, othersEach = countedCanaries): bigint {
  const capCums = (WORK_CUMS * parameters.capNumerator) / parameters.capDenominator;
  const bills = (nodeId: number, length: number, billedCums: bigint): CanaryResult[] =>
    Array.from({ length }, () => ({ taskId: "0x", nodeId, size: "page", isRight: true, billedCums }));
  const others = Array.from({ length: judging.fewestNodes }, (_, index) => bills(index + 1, othersEach, WORK_CUMS));
  const own = [...bills(CHEAT, countedCanaries - atCap, WORK_CUMS), ...bills(CHEAT, atCap, capCums)];
  const history = [...others.flat(), ...own];
  return BigInt(judgeCanaries({ history, nodeId: CHEAT, ageBps: judging.fullBps }).qualityBps);
}

/** The largest bill that a canary can have. */
export function largestCanaryUsd6({ auditBudgetUsd6, backupStandbyBps }: Parameters): bigint {
  return (auditBudgetUsd6 * 10_000n) / (10_000n + BigInt(canaryBackups) * backupStandbyBps);
}

export interface OverbillingCycle {
  /** Mean time between two canaries that find the node as a primary. */
  readonly intervalMs: bigint;
  /** What is billed above the work, until the first canary was judged and an epoch has taken the weight over. */
  readonly gainUsd6: bigint;
  /** Draws that it is short of until newer canaries have pushed that one out, or that registering anew costs. */
  readonly lossUsd6: bigint;
}

/**
 * The mildest course for an established node: it bills the cap of tasks of that size until canaries have caught it, and
 * then the work until its quality has recovered, or registers anew where that is cheaper. Drawn less often, it also
 * meets the canaries that clear it less often. As a backup it bills the work, so drills do not find it. Undefined where
 * no canary is so large.
 */
export function overbillingCycle(parameters: Parameters, node: NodeCase, taskUsd6: bigint): OverbillingCycle | undefined {
  const { auditDrillPercent, epochOpenS, capNumerator, capDenominator } = parameters;
  const epochMs = epochOpenS * 1_000n;
  const intervalMs = meetingMs(parameters, taskUsd6, 100n - auditDrillPercent);
  if (intervalMs === undefined) return undefined;
  const billedUsd6 = timeUsd6(parameters, node, intervalMs + epochMs);
  const lostMs = least(missedMs(parameters, { intervalMs, epochMs }), anewMs(parameters));
  return {
    intervalMs,
    gainUsd6: above((billedUsd6 * capNumerator + capDenominator - 1n) / capDenominator, billedUsd6),
    lossUsd6: timeUsd6(parameters, node, lostMs),
  };
}

/** So long the node is without the draws that its weight lacks: an epoch at least, as weights follow once in each. */
function missedMs(parameters: Parameters, times: { intervalMs: bigint; epochMs: bigint }): bigint {
  const { intervalMs, epochMs } = times;
  const met = intervalMs === 0n ? BigInt(countedCanaries) : 1n + epochMs / intervalMs;
  const caught = met < countedCanaries ? Number(met) : countedCanaries;
  const qualities = Array.from({ length: countedCanaries }, (_, newer) =>
    qualityAtCapBps(parameters, Math.min(caught, countedCanaries - newer)),
  );
  const byCanaries = qualities.reduce((sum, bps) => sum + (intervalMs * (10_000n - bps)) / bps, 0n);
  const byEpoch = (epochMs * (10_000n - (qualities[0] ?? 10_000n))) / 10_000n;
  return byCanaries > byEpoch ? byCanaries : byEpoch;
}

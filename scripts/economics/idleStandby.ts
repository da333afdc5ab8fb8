/**
 * What drills make of a backup with nothing held ready, by the keeper's own judgement: so many failed drills, and what
 * newer results give back.
 */
import { judgeCanaries, judging, type CanaryResult } from "@ngpu/keeper/audits/judgeCanaries";
import type { NodeCase } from "./attack.ts";
import { anewMs, meetingMs } from "./canaryTimes.ts";
import type { Parameters } from "./parameters.ts";
import { least, shareDown, shareUp, timeUsd6 } from "./values.ts";

export interface IdleStandbyCycle {
  /** Mean time between two drills of one node. */
  readonly drillMs: bigint;
  /** Standby until the first drill was judged and an epoch has taken the weight over. */
  readonly gainUsd6: bigint;
  /** Draws that it is short of until newer canaries have paid that drill off, or that registering anew costs. */
  readonly lossUsd6: bigint;
}

/** Quality, in basis points of what the node had, after so many failed drills and then so many right results. */
export function qualityAfterDrillsBps(failed: number, right: number): bigint {
  const result = { taskId: "0x", nodeId: 1, size: "page" };
  const failure: CanaryResult = { ...result, isRight: false, billedCums: 0n, drill: "failed" };
  const success: CanaryResult = { ...result, isRight: true, billedCums: 1n };
  const history = [...Array<CanaryResult>(failed).fill(failure), ...Array<CanaryResult>(right).fill(success)];
  return BigInt(judgeCanaries({ history, nodeId: 1, ageBps: judging.fullBps }).qualityBps);
}

/**
 * The mildest course for an established node: it holds nothing ready until a drill has caught it, then serves as an
 * honest backup until its quality has recovered, or registers anew where that is cheaper; as a primary it always works.
 * It sits behind others as often as each of its own tasks has backups, the most that a payer can ask for. Undefined
 * where no drill is so large.
 */
export function idleStandbyCycle(parameters: Parameters, node: NodeCase, taskUsd6: bigint): IdleStandbyCycle | undefined {
  const { auditDrillPercent, backupStandbyBps, epochOpenS, failingPrimaryBps, maxBackups } = parameters;
  const epochMs = epochOpenS * 1_000n;
  const [canaryMs, drillMs] = [meetingMs(parameters, taskUsd6), meetingMs(parameters, taskUsd6, auditDrillPercent)];
  if (canaryMs === undefined || drillMs === undefined) return undefined;
  const workedUsd6 = timeUsd6(parameters, node, drillMs + epochMs);
  const standbyUsd6 = shareUp(workedUsd6, maxBackups * backupStandbyBps);
  return {
    drillMs,
    gainUsd6: shareUp(standbyUsd6, 10_000n - failingPrimaryBps),
    lossUsd6: timeUsd6(parameters, node, lostMs(parameters, { canaryMs, drillMs, epochMs })),
  };
}

function lostMs(parameters: Parameters, times: { canaryMs: bigint; drillMs: bigint; epochMs: bigint }): bigint {
  const { canaryMs, drillMs, epochMs } = times;
  const most = judging.fullBps / judging.wrongBps;
  const met = drillMs === 0n ? most : 1 + Number(epochMs / drillMs);
  const caught = Math.min(met, most);
  const first = qualityAfterDrillsBps(caught, 0);
  // A node that nobody draws meets no canary that clears it.
  if (first === 0n) return anewMs(parameters);
  let byCanaries = 0n;
  for (let right = 0, bps = first; bps < 10_000n; bps = qualityAfterDrillsBps(caught, (right += 1)))
    byCanaries += (canaryMs * (10_000n - bps)) / bps;
  const byEpoch = shareDown(epochMs, 10_000n - first);
  return least(byCanaries > byEpoch ? byCanaries : byEpoch, anewMs(parameters));
}

import type { Attack } from "../attack.ts";
import { isQualityFelt } from "../canaryTimes.ts";
import { idleStandbyCycle } from "../idleStandby.ts";
import { backupStandbyUsd6, largestFittingTaskUsd6, selfReportedSlashUsd6, shareDown, shareUp } from "../values.ts";

/** Silent, it is slashed when the task expires; so it signs a failure instead, which is no fault. */
export const emptyBackup: Attack = {
  id: "empty-backup",
  attacker: "node",
  act: "accepts as a backup for the standby, with nothing held ready, and signs a failure when it is asked",
  gain:
    "standby of the largest task × chance that the primary does not fail; where drills are felt, all standby until the " +
    "first one counts",
  loss:
    "where audits run and seats follow weight, the draws that it misses until newer canaries have paid a failed drill " +
    "off, or those that registering anew costs, whichever is less. Else nothing but that standby when the primary fails: a signed failure is no fault. Where it stays silent, or a " +
    "signed failure counted as a missed task: that chance × stake × missed-task share, less what an accomplice gets",
  paysWhen:
    "pays where drills are not felt (no audits, seats that are not drawn, tasks larger than any canary can be, a node " +
    "that leaves before its drill, or a primary of the same owner that is first) while what it risks is below the standby: the chance of a failing primary × slash below standby × the " +
    "rest. Silence is slashed only where the task expires, so a second backup that takes over excuses the first",
  reckon: (parameters, node) => {
    const taskUsd6 = largestFittingTaskUsd6(parameters, node);
    const cycle = isQualityFelt(parameters) ? idleStandbyCycle(parameters, node, taskUsd6) : undefined;
    if (cycle !== undefined) return cycle;
    const { failingPrimaryBps, failureIsFault, missSlashBps } = parameters;
    const standbyUsd6 = backupStandbyUsd6(parameters, taskUsd6);
    const slashUsd6 = failureIsFault === 0n ? 0n : selfReportedSlashUsd6(parameters, node, missSlashBps);
    return {
      gainUsd6: shareUp(standbyUsd6, 10_000n - failingPrimaryBps),
      lossUsd6: shareDown(slashUsd6, failingPrimaryBps),
    };
  },
  bad: { failureIsFault: 0n, auditDrillPercent: 0n },
  remedy: {
    text:
      "a failure that is signed after an accept costs what a missed task does (a node that cannot serve declines in " +
      "time), and a standby of a hundredth; or drills, so that backups are tried more often than primaries fail",
    change: { auditDrillPercent: 50n },
  },
};

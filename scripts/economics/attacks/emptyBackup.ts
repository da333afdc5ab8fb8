import type { Attack } from "../attack.ts";
import { backupStandbyUsd6, largestFittingTaskUsd6, selfReportedSlashUsd6, shareDown, shareUp } from "../values.ts";

/** Silent, it is slashed when the task expires; so it signs a failure instead, which is no fault. */
export const emptyBackup: Attack = {
  id: "empty-backup",
  attacker: "node",
  act: "accepts as a backup for the standby, with nothing held ready, and signs a failure when it is asked",
  gain: "standby of the largest task × chance that the primary does not fail",
  loss:
    "nothing but that standby when the primary fails: a signed failure is no fault. Where it stays silent, or a " +
    "signed failure counted as a missed task: that chance × stake × missed-task share, less what an accomplice gets",
  paysWhen:
    "pays while what it risks is below the standby: the chance of a failing primary × slash below standby × the " +
    "rest. Silence is slashed only where the task expires, so a second backup that takes over excuses the first",
  reckon: (parameters, node) => {
    const { failingPrimaryBps, failureIsFault, missSlashBps } = parameters;
    const standbyUsd6 = backupStandbyUsd6(parameters, largestFittingTaskUsd6(parameters, node));
    const slashUsd6 = failureIsFault === 0n ? 0n : selfReportedSlashUsd6(parameters, node, missSlashBps);
    return {
      gainUsd6: shareUp(standbyUsd6, 10_000n - failingPrimaryBps),
      lossUsd6: shareDown(slashUsd6, failingPrimaryBps),
    };
  },
  bad: { failureIsFault: 0n },
  remedy: {
    text:
      "a failure that is signed after an accept costs what a missed task does (a node that cannot serve declines in " +
      "time), and a standby of a hundredth; or canaries whose primary fails on purpose, so that backups are tried " +
      "more often than primaries fail",
    change: { failureIsFault: 1n, backupStandbyBps: 100n },
  },
};

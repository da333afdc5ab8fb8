import type { Attack } from "../attack.ts";
import { assignedFalselyUsd6, backupStandbyUsd6, largestFittingTaskUsd6 } from "../values.ts";

/** The primary may be whoever is best: the friends sit behind it. */
export const seatedStandby: Attack = {
  id: "seated-standby",
  attacker: "keeper",
  act: "seats friends as backups, for the standby",
  gain: "standby of every backup that the largest task can have",
  loss: "half the bond of a post; nothing where the escrow assigns without a post",
  paysWhen:
    "pays wherever the escrow does not ask for the draw. The payer pays no more than to other backups; who loses are " +
    "the nodes that would have been drawn, and the payer where the friends hold nothing ready",
  reckon: (parameters, node) => ({
    gainUsd6: parameters.maxBackups * backupStandbyUsd6(parameters, largestFittingTaskUsd6(parameters, node)),
    lossUsd6: assignedFalselyUsd6(parameters),
  }),
  bad: { drawEnforced: 0n },
  remedy: {
    text: "as for the next row: `TaskEscrow.assign` demands a standing post of those seats",
    change: { drawEnforced: 1n },
  },
};

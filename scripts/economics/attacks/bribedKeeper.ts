import type { Attack } from "../attack.ts";
import { assignedFalselyUsd6, largestTaskUsd6, maximumUsd6 } from "../values.ts";

/** Half of a lost bond goes to the challenger, which may be an accomplice; an assignment without a post risks none. */
export const bribedKeeper: Attack = {
  id: "bribed-keeper",
  attacker: "keeper",
  act: "assigns friends instead of the drawn nodes",
  gain: "the pay of the largest task, and the standby of every backup that it can have",
  loss: "half the bond of a post; nothing where the escrow assigns without a post",
  paysWhen:
    "pays when a task with its standby is worth more than half the bond, or the escrow does not ask for the draw; a " +
    "session asks for none, but there the payer may choose its nodes itself",
  reckon: (parameters, node) => ({
    gainUsd6: maximumUsd6(parameters, largestTaskUsd6(parameters, node), parameters.maxBackups),
    lossUsd6: assignedFalselyUsd6(parameters),
  }),
  bad: { postBondWei: 10n ** 17n },
  remedy: {
    text:
      "`TaskEscrow.assign` demands a standing post of those seats while keepers alone may assign, and a " +
      "larger bond of a post",
    change: { drawEnforced: 1n, postBondWei: 40n * 10n ** 18n },
  },
};

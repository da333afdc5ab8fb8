import type { Attack } from "../attack.ts";
import { largestTaskUsd6, ngpuUsd6 } from "../values.ts";

/** Half of a lost bond goes to the challenger, which may be an accomplice; an assignment without a post risks none. */
export const bribedKeeper: Attack = {
  id: "bribed-keeper",
  attacker: "keeper",
  act: "assigns a friend instead of the drawn node",
  gain: "the pay of the largest task",
  loss: "half the bond of a post; nothing where the escrow assigns without a post",
  paysWhen:
    "pays when a task is worth more than half the bond, or the escrow does not ask for the draw; a " +
    "session asks for none, but there the payer may choose its nodes itself",
  reckon: (parameters, node) => ({
    gainUsd6: largestTaskUsd6(parameters, node),
    lossUsd6: parameters.drawEnforced === 0n ? 0n : ngpuUsd6(parameters, parameters.postBondWei) / 2n,
  }),
  bad: { postBondWei: 10n ** 17n },
  remedy: {
    text:
      "`TaskEscrow.assign` demands a standing post of that pair while keepers alone may assign, and a " +
      "larger bond of a post",
    change: { drawEnforced: 1n, postBondWei: 30n * 10n ** 18n },
  },
};

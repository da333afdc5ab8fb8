import type { Attack } from "../attack.ts";
import { coinUsd6, shareDown, stakeShareUsd6 } from "../values.ts";

/** Not an attack but what lets others succeed: whoever is right in a dispute must not be worse off for it. */
export const idleAuditor: Attack = {
  id: "idle-auditor",
  attacker: "auditor or payer",
  act: "sees a wrong result and looks away",
  gain: "the judges' fees, which come out of the opener's bond even when it is right: committee × fee",
  loss: "the challenger's share of the slash, which it does not get",
  paysWhen: "pays when judging costs more than the challenger's share",
  reckon: (parameters, node) => ({
    gainUsd6: parameters.committeeSize * coinUsd6(parameters, parameters.judgeFeeWei),
    lossUsd6: shareDown(stakeShareUsd6(parameters, node, parameters.resultBps), parameters.maxChallengerBps),
  }),
  bad: { judgeFeeWei: 10n ** 15n },
  remedy: {
    text:
      "a judge's fee below the challenger's share divided by the committee; or pay the judges out of the " +
      "slash and return a winner's whole bond",
    change: { judgeFeeWei: 10n ** 13n },
  },
};

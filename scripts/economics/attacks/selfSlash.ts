import type { Attack } from "../attack.ts";
import { shareUp, stakeShareUsd6 } from "../values.ts";

export const selfSlash: Attack = {
  id: "self-slash",
  attacker: "node",
  act: "has itself slashed by accomplices to leave before the thaw ends",
  gain: "slash × (largest compensation + largest challenger's share), after the appeal window",
  loss: "the slash, of which it would have had all after the thaw (INV-17)",
  paysWhen: "pays when both shares together exceed the whole slash",
  reckon: (parameters, node) => {
    const slashUsd6 = stakeShareUsd6(parameters, node, parameters.conflictBps);
    const returnedBps = parameters.maxCompensationBps + parameters.maxChallengerBps;
    return { gainUsd6: shareUp(slashUsd6, returnedBps), lossUsd6: slashUsd6 };
  },
  bad: { maxCompensationBps: 9_500n },
};

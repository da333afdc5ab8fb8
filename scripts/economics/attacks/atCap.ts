import type { Attack } from "../attack.ts";
import { above, largestTaskUsd6, largestWorkUsd6 } from "../values.ts";

/** Nobody can prove how long an execution took, so nothing is lost. */
export const atCap: Attack = {
  id: "at-cap",
  attacker: "node",
  act: "signs the whole work cap for every task, in slots that do not overlap",
  gain: "work × (cap − 1) × price of each task",
  loss: "nothing that can be proved",
  paysWhen: "pays when the cap is above what the machine takes; the payer agreed to no less when it posted",
  reckon: (parameters, node) => ({
    gainUsd6: above(largestTaskUsd6(parameters, node), largestWorkUsd6(parameters, node)),
    lossUsd6: 0n,
  }),
  bad: { capNumerator: 3n, capDenominator: 2n },
  remedy: {
    text: "bill at most the declared work, and declare it with its margin",
    change: { capNumerator: 1n, capDenominator: 1n },
  },
};

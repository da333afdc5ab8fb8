import type { Attack } from "../attack.ts";
import { largestWorkUsd6 } from "../values.ts";

export const aboveCap: Attack = {
  id: "above-cap",
  attacker: "node",
  act: "signs a duration above the work cap",
  gain: "nothing: `settle` refuses the receipt",
  loss: "the pay of the task that it did execute",
  paysWhen: "pays never; the maximum was escrowed before and no bill exceeds it",
  reckon: (parameters, node) => ({ gainUsd6: 0n, lossUsd6: largestWorkUsd6(parameters, node) }),
};

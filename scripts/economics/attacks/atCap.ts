import type { Attack } from "../attack.ts";
import { isQualityFelt } from "../canaryTimes.ts";
import { overbillingCycle } from "../overbilling.ts";
import { above, largestTaskUsd6, largestWorkUsd6 } from "../values.ts";

/** Nobody can prove how long an execution took; canaries compare bills, and what they take is quality, never money. */
export const atCap: Attack = {
  id: "at-cap",
  attacker: "node",
  act: "signs the whole work cap for every task, in slots that do not overlap",
  gain: "work × (cap − 1) × price: of each task; where quality acts, of all until the first canary counts",
  loss:
    "nothing that can be proved; where audits run and seats follow weight, the draws that it misses until newer " +
    "canaries have pushed that one out, or those that registering anew costs, whichever is less",
  paysWhen:
    "pays where quality is not felt: seats that are not drawn, audits that do not run, tasks larger than any canary " +
    "can be, a node that leaves before its canary or has a second one ripened in reserve, or fewer than three nodes to " +
    "compare; the payer agreed to no less when it posted",
  reckon(parameters, node) {
    const taskUsd6 = largestTaskUsd6(parameters, node);
    const cycle = isQualityFelt(parameters) ? overbillingCycle(parameters, node, taskUsd6) : undefined;
    return cycle ?? { gainUsd6: above(taskUsd6, largestWorkUsd6(parameters, node)), lossUsd6: 0n };
  },
  bad: { capNumerator: 3n, capDenominator: 2n, auditsRun: 0n },
  remedy: {
    text:
      "audits that run, with a budget for the largest tasks, and seats that follow the draw; or bill at most the " +
      "declared work, and declare it with its margin",
    change: { auditsRun: 1n, auditBudgetUsd6: 50_000_000n, drawEnforced: 1n },
  },
};

import type { Attack } from "../attack.ts";
import type { Parameters } from "../parameters.ts";
import { canaryMayBill, overbillingCycle } from "../overbilling.ts";
import { above, largestTaskUsd6, largestWorkUsd6 } from "../values.ts";

/** Nobody can prove how long an execution took; canaries compare bills, and what they take is quality, never money. */
export const atCap: Attack = {
  id: "at-cap",
  attacker: "node",
  act: "signs the whole work cap for every task, in slots that do not overlap",
  gain: "work × (cap − 1) × price: of each task; where quality acts, of all until the first canary counts",
  loss:
    "nothing that can be proved; where audits run and seats follow weight, the draws that it misses until newer " +
    "canaries have pushed that one out",
  paysWhen:
    "pays where quality is not felt: seats that are not drawn, audits that do not run, tasks larger than any canary " +
    "can be, a node that leaves before its canary, or fewer than three nodes to compare; the payer agreed to no less " +
    "when it posted",
  reckon: (parameters, node) =>
    isFelt(parameters) && canaryMayBill(parameters, largestTaskUsd6(parameters, node))
      ? overbillingCycle(parameters, node)
      : {
          gainUsd6: above(largestTaskUsd6(parameters, node), largestWorkUsd6(parameters, node)),
          lossUsd6: 0n,
        },
  bad: { capNumerator: 3n, capDenominator: 2n, auditsRun: 0n },
  remedy: {
    text:
      "audits that run, with a budget for the largest tasks, and seats that follow the draw; or bill at most the " +
      "declared work, and declare it with its margin",
    change: { auditsRun: 1n, auditBudgetUsd6: 10_000_000n, drawEnforced: 1n },
  },
};

/** True where a lower quality costs its node tasks of the direct rail. */
function isFelt({ auditsRun, drawEnforced, seatsByWeight }: Parameters): boolean {
  return auditsRun !== 0n && (drawEnforced !== 0n || seatsByWeight !== 0n);
}

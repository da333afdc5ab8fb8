import type { Attack } from "../attack.ts";
import { auditedUsd6, largestFittingTaskUsd6, shareDown } from "../values.ts";

/** The bill is credited at once but matures later, so what a payer demands in time is still there to be taken back. */
export const unstoredOutput: Attack = {
  id: "unstored-output",
  attacker: "node",
  act: "signs a receipt and stores no output",
  gain: "the bill of the largest task, credited and not mature",
  loss: "the bill again, unless the payer lets its window pass; and what garbage costs: p × stake × wrong-result share",
  paysWhen:
    "pays when payers let their window pass more often than audits find it: bills so far below the least bond that " +
    "no payer demands them, and results that nobody disputes. Keepers that attest for it have rows of their own",
  reckon: (parameters, node) => {
    const billUsd6 = largestFittingTaskUsd6(parameters, node);
    const demandedBps = parameters.payerWindowS === 0n ? 0n : 10_000n - parameters.missedWindowBps;
    return {
      gainUsd6: billUsd6,
      lossUsd6: shareDown(billUsd6, demandedBps) + auditedUsd6(parameters, node),
    };
  },
  bad: { payerWindowS: 0n, sampleBps: 100n },
};

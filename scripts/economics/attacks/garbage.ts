import type { Attack } from "../attack.ts";
import { auditedUsd6, largestFittingTaskUsd6 } from "../values.ts";

/** The whole pay counts as gain, as for a node that has no machine at all. */
export const garbage: Attack = {
  id: "garbage",
  attacker: "node",
  act: "returns garbage without executing",
  gain: "the pay of the largest task that its stake lets it take",
  loss: "p × stake × wrong-result share, p = chance that the seed samples the task and a keeper audits it",
  paysWhen:
    "pays when p < pay ÷ (share × stake): where keepers audit less than is sampled, results are of class NONE, or " +
    "inputs are never revealed",
  reckon: (parameters, node) => ({
    gainUsd6: largestFittingTaskUsd6(parameters, node),
    lossUsd6: auditedUsd6(parameters, node),
  }),
  bad: { sampleBps: 100n },
  remedy: {
    text: "a source of seeds for Disputes (the zero address samples nothing) and a larger sample",
    change: { auditSeeds: 1n, sampleBps: 2_000n },
  },
};

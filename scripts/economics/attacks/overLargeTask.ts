import type { Attack } from "../attack.ts";
import { auditedUsd6, largestFittingTaskUsd6 } from "../values.ts";

/** The pay of a large node's hour against the stake of a small one. */
export const overLargeTask: Attack = {
  id: "over-large-task",
  attacker: "node",
  act: "takes a task that only a larger class could finish by the deadline, and returns garbage",
  gain: "the pay of the datacenter class's largest task; of its own class's, where assign refuses more work than fits",
  loss: "p × stake × wrong-result share",
  paysWhen: "pays when the escrow assigns work that the node's power cannot do before the deadline",
  reckon: (parameters, node) => {
    const { workFitsNode, datacenterPowerCu } = parameters;
    const sized = workFitsNode === 0n ? { ...node, powerCu: datacenterPowerCu } : node;
    return { gainUsd6: largestFittingTaskUsd6(parameters, sized), lossUsd6: auditedUsd6(parameters, node) };
  },
  bad: { workFitsNode: 0n },
  remedy: {
    text:
      "`TaskEscrow.assign` refuses a node with power × time until the deadline below the work (error " +
      "TaskTooLargeForNode), besides what stops garbage",
    change: { workFitsNode: 1n, auditSeeds: 1n, sampleBps: 2_000n },
  },
};

import type { Attack } from "../attack.ts";
import { largestTaskUsd6, selfReportedSlashUsd6 } from "../values.ts";

export const overlap: Attack = {
  id: "overlap",
  attacker: "node",
  act: "bills the same time of one slot twice",
  gain: "one task more: largest task",
  loss: "stake × overlap share, less what an accomplice gets; self-proving by two receipts",
  paysWhen:
    "pays when a task is worth more than the loss, or nobody sees both receipts: on the direct rail " +
    "everybody does",
  reckon: (parameters, node) => ({
    gainUsd6: largestTaskUsd6(parameters, node),
    lossUsd6: selfReportedSlashUsd6(parameters, node, parameters.overlapBps),
  }),
  bad: { overlapBps: 50n },
};

import type { Attack } from "../attack.ts";
import { largestTaskUsd6, selfReportedSlashUsd6 } from "../values.ts";

export const silentNode: Attack = {
  id: "silent-node",
  attacker: "node",
  act: "accepts a task and stays silent",
  gain: "the machine's time, sold to somebody else until the deadline: largest task",
  loss: "stake × missed-task share, less what an accomplice gets for reporting it; and no pay",
  paysWhen:
    "pays when the time until the deadline is worth more than the loss, or so much stake is silent at " +
    "once that the breaker excuses all",
  reckon: (parameters, node) => ({
    gainUsd6: largestTaskUsd6(parameters, node),
    lossUsd6: selfReportedSlashUsd6(parameters, node, parameters.missSlashBps),
  }),
  bad: { missSlashBps: 20n },
};

import type { Attack } from "../attack.ts";
import { largestTaskUsd6, selfReportedSlashUsd6 } from "../values.ts";

export const twoResults: Attack = {
  id: "two-results",
  attacker: "node",
  act: "signs two receipts under one conflict key",
  gain: "at most the value of the task again: the escrow pays one of the two (INV-13)",
  loss: "stake × conflict share, less what an accomplice gets; self-proving by two receipts",
  paysWhen: "pays when a task is worth more than the loss",
  reckon: (parameters, node) => ({
    gainUsd6: largestTaskUsd6(parameters, node),
    lossUsd6: selfReportedSlashUsd6(parameters, node, parameters.conflictBps),
  }),
  bad: { conflictBps: 50n },
};

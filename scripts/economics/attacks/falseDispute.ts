import type { Attack } from "../attack.ts";
import { coinUsd6, largestTaskUsd6, least, maximumUsd6, shareDown, shareUp, stakeShareUsd6 } from "../values.ts";

export const falseDispute: Attack = {
  id: "false-dispute",
  attacker: "payer",
  act: "disputes a right result",
  gain: "error × (compensation: min(task's maximum, its share of the slash), plus the challenger's share)",
  loss: "(1 − error) × bond of a dispute, which burns",
  paysWhen: "pays when error × reward > (1 − error) × bond",
  reckon: (parameters, node) => {
    const { judgeErrorBps, maxCompensationBps, maxChallengerBps } = parameters;
    const slashUsd6 = stakeShareUsd6(parameters, node, parameters.resultBps);
    const mostUsd6 = maximumUsd6(parameters, largestTaskUsd6(parameters, node), parameters.maxBackups);
    const compensationUsd6 = least(mostUsd6, shareDown(slashUsd6, maxCompensationBps));
    return {
      gainUsd6: shareUp(compensationUsd6 + shareUp(slashUsd6, maxChallengerBps), judgeErrorBps),
      lossUsd6: shareDown(coinUsd6(parameters, parameters.disputeBondWei), 10_000n - judgeErrorBps),
    };
  },
  bad: { disputeBondWei: 10n ** 13n },
};

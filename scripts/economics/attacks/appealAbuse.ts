import type { Attack } from "../attack.ts";
import { coinUsd6, shareDown, shareUp, stakeShareUsd6 } from "../values.ts";

export const appealAbuse: Attack = {
  id: "appeal-abuse",
  attacker: "node",
  act: "appeals every ruling against it",
  gain: "error × the slash that it escapes",
  loss: "(1 − error) × bond of an appeal",
  paysWhen: "pays when error ÷ (1 − error) > bond ÷ slash; time alone saves nothing, as thawing stake stays slashable",
  reckon: (parameters, node) => ({
    gainUsd6: shareUp(stakeShareUsd6(parameters, node, parameters.resultBps), parameters.judgeErrorBps),
    lossUsd6: shareDown(coinUsd6(parameters, parameters.disputeBondWei), 10_000n - parameters.judgeErrorBps),
  }),
  bad: { disputeBondWei: 10n ** 14n },
};

import type { Attack } from "../attack.ts";
import { above, coinUsd6, stakeShareUsd6 } from "../values.ts";

/** The harmed side appeals, and the arbitrator, who is not bribed, decides against the node and its judges. */
export const committeeBribery: Attack = {
  id: "committee-bribery",
  attacker: "node and judges",
  act: "bribe the majority of a committee after a wrong result",
  gain: "stake × (wrong-result share − arbitrated share): what the arbitrator may not take",
  loss: "the fees that the bribed judges lose: majority × judge's fee",
  paysWhen:
    "pays when that difference of the stake is worth more than the majority's fees; without an appeal, " +
    "the whole share",
  reckon: (parameters, node) => {
    const majority = parameters.committeeSize / 2n + 1n;
    const savedBps = above(parameters.resultBps, parameters.arbitratedBps);
    return {
      gainUsd6: stakeShareUsd6(parameters, node, savedBps),
      lossUsd6: majority * coinUsd6(parameters, parameters.judgeFeeWei),
    };
  },
  bad: { arbitratedBps: 0n },
  remedy: {
    text: "the arbitrator may take what a committee may: then an appeal leaves nothing to save",
    change: { arbitratedBps: 500n },
  },
};

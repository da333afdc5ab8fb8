import type { Attack } from "../attack.ts";
import { coinUsd6, shareDown, shareUp, stakeShareUsd6 } from "../values.ts";

export const livenessSpam: Attack = {
  id: "liveness-spam",
  attacker: "challenger",
  act: "challenges living nodes for the reward",
  gain: "chance of a missed reply × challenger's share of the third strike's slash",
  loss: "what is burned of an answered bond: (bond − relayer's pay) × burned share",
  paysWhen:
    "pays when living nodes miss far more replies than assumed; an answer costs the node nothing, as its " +
    "relayer is paid",
  reckon: (parameters, node) => {
    const { livenessBondWei, livenessHeadroom, livenessBurnBps, missedReplyBps } = parameters;
    const slashUsd6 = stakeShareUsd6(parameters, node, parameters.silenceSlashBps);
    const bondUsd6 = coinUsd6(parameters, livenessBondWei);
    const burnedUsd6 = shareDown(bondUsd6 - bondUsd6 / livenessHeadroom, livenessBurnBps);
    return {
      gainUsd6: shareUp(shareUp(slashUsd6, parameters.maxChallengerBps), missedReplyBps),
      lossUsd6: shareDown(burnedUsd6, 10_000n - missedReplyBps),
    };
  },
  bad: { livenessBurnBps: 0n },
};

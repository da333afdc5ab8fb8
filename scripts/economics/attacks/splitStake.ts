import type { Attack } from "../attack.ts";
import { above, timeUsd6 } from "../values.ts";

const DAY_MS = 86_400_000n;
const PARTS = 8n;

/** Weight is stake × power × quality, so eight rated parts weigh what the whole did; as newcomers they weigh less. */
export const splitStake: Attack = {
  id: "split-stake",
  attacker: "node",
  act: "splits its stake over eight registrations of one machine",
  gain: "share of the draws above that of the whole × a day's pay",
  loss: "share of the draws below that of the whole, as each part begins with a newcomer's quality × a day's pay",
  paysWhen:
    "pays when newcomers weigh more than rated nodes. Stake above maxStakeWei, and that of an unmeasured " +
    "node above its class minimum, counts only when it is split: then each part weighs what its stake is " +
    "worth, never more",
  reckon: (parameters, node) => {
    const dayUsd6 = timeUsd6(parameters, node, DAY_MS);
    const whole = node.stakeWei * 10_000n;
    const parts = PARTS * ((node.stakeWei / PARTS) * parameters.newcomerQualityBps);
    return { gainUsd6: (dayUsd6 * above(parts, whole)) / whole, lossUsd6: (dayUsd6 * above(whole, parts)) / whole };
  },
  bad: { newcomerQualityBps: 12_000n },
};

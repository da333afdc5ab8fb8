import type { Attack } from "../attack.ts";
import { least, ngpuUsd6, timeUsd6 } from "../values.ts";

/** The node claims its floor; what burns is bounded by its stake and by the session rail's slash bucket. */
export const withholdingPayer: Attack = {
  id: "withholding-payer",
  attacker: "payer",
  act: "takes results of a session and does not co-sign",
  gain: "work of one credit window: window × power × price",
  loss: "the same amount of its allotment, burned by `claimFloor`: min(window, stake of the node, bucket)",
  paysWhen:
    "pays where the node lets more than a credit window, or more than MAX_CLAIM_RECEIPTS receipts, run " +
      "up unsigned, or does not claim: a claim costs it as much, so an agent must make it by rule and not " +
      "by choice",
  reckon: (parameters, node) => {
    const windowUsd6 = timeUsd6(parameters, node, parameters.creditWindowMs);
    const bucketUsd6 = ngpuUsd6(parameters, parameters.minimumBucketWei);
    return {
      gainUsd6: windowUsd6,
      lossUsd6: least(windowUsd6, ngpuUsd6(parameters, node.stakeWei), bucketUsd6),
    };
  },
  bad: { minimumBucketWei: 10n ** 15n },
};

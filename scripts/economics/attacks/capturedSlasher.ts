import type { Attack } from "../attack.ts";
import { ngpuUsd6, shareUp } from "../values.ts";

export const capturedSlasher: Attack = {
  id: "captured-slasher",
  attacker: "captured slasher",
  act: "slashes the innocent in favour of accomplices",
  gain: "bucket × (largest compensation + challenger's share) a day, unless an appeal reverses it before it is paid",
  loss: "nothing but the capture",
  paysWhen:
    "pays when the appeal role sleeps through the whole appeal window; then at most those shares of a " +
    "bucket a day and slasher",
  reckon: (parameters) => {
    const bucketUsd6 = ngpuUsd6(parameters, parameters.minimumBucketWei);
    const shareBps = parameters.maxCompensationBps + parameters.maxChallengerBps;
    return { gainUsd6: parameters.appealWindowS === 0n ? shareUp(bucketUsd6, shareBps) : 0n, lossUsd6: 0n };
  },
  bad: { appealWindowS: 0n },
};

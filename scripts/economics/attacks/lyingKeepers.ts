import type { Attack } from "../attack.ts";
import { timeUsd6 } from "../values.ts";

const LIARS = 2n;

/** The largest set of transcripts counts, and an honest keeper may always hand in all of them. */
export const lyingKeepers: Attack = {
  id: "lying-keepers",
  attacker: "two keepers",
  act: "sign a false score for a friend",
  gain: "one step more weight for an epoch × the epoch's pay, if the lies are the median",
  loss: "nothing but the submission",
  paysWhen:
    "pays when liars hold the middle of the fullest set: three of five, or two while no honest keeper " +
    "hands in all five",
  reckon: (parameters, node) => {
    // Sorted, the lies come last; of an even number the lower middle counts.
    const middle = (parameters.keepersDrawn - 1n) / 2n;
    const liesDecide = middle >= parameters.keepersDrawn - LIARS;
    const epochUsd6 = timeUsd6(parameters, node, parameters.epochOpenS * 1_000n);
    return { gainUsd6: liesDecide ? epochUsd6 / parameters.stepDivisor : 0n, lossUsd6: 0n };
  },
  bad: { keepersDrawn: 3n },
};

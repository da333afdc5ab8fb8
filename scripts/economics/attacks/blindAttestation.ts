import type { Attack } from "../attack.ts";
import { attestedFalselyUsd6, demandBondUsd6, largestFittingTaskUsd6 } from "../values.ts";

/** Two accounts that bonded are enough; the result may be right, so no audit finds anything wrong with the node. */
export const blindAttestation: Attack = {
  id: "blind-attestation",
  attacker: "keepers",
  act: "attest, as a quorum, an output that is demanded and that they do not hold",
  gain: "the payer's bond of the largest task",
  loss: "nothing: an attestation locks none of a keeper's bond, and nothing says later who held what",
  paysWhen:
    "pays as often as a payer demands what it cannot get; the payer loses its bond and goes on without its output. " +
    "The keepers' own bonds come back after their exit",
  reckon: (parameters, node) => ({
    gainUsd6: demandBondUsd6(parameters, largestFittingTaskUsd6(parameters, node)),
    lossUsd6: attestedFalselyUsd6(parameters),
  }),
  bad: { attestersBonded: 0n },
  remedy: {
    text:
      "`attestOutput` locks the attester's bond, and half of it is lost to a payer that asks for the ciphertext on " +
      "chain, pays its gas and does not get it; or attesters that the seed draws for the task",
    change: { attestersBonded: 1n },
  },
};

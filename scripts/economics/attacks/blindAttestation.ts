import type { Attack } from "../attack.ts";
import { demandBondUsd6, largestFittingTaskUsd6 } from "../values.ts";

/** Two accounts that bonded are enough; the result may be right, so no audit finds anything wrong with the node. */
export const blindAttestation: Attack = {
  id: "blind-attestation",
  attacker: "keepers",
  act: "attest, as a quorum, an output that is demanded and that they do not hold",
  gain: "nothing, where attesters are not paid; otherwise the payer's bond of the largest task",
  loss: "nothing: what a keeper holds cannot be shown later",
  paysWhen:
    "pays as soon as attesting is paid, from whatever pocket. Unpaid it is spite: the payer loses a bill and a bond " +
    "and goes on without its output",
  reckon: (parameters, node) => ({
    gainUsd6:
      parameters.attestersUnpaid === 0n ? demandBondUsd6(parameters, largestFittingTaskUsd6(parameters, node)) : 0n,
    lossUsd6: 0n,
  }),
  bad: { attestersUnpaid: 0n },
};

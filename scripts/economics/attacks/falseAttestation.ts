import type { Attack } from "../attack.ts";
import { attestedFalselyUsd6, auditedUsd6, demandBondUsd6, largestFittingTaskUsd6 } from "../values.ts";

/** One party runs the node and a quorum of keepers; the payer demands what was never there. */
export const falseAttestation: Attack = {
  id: "false-attestation",
  attacker: "node and keepers",
  act: "bill garbage that nobody stored, and attest it by a quorum of their own",
  gain: "the bill of the largest task, and the payer's bond",
  loss: "what garbage costs: p × stake × wrong-result share; the contracts take nothing of the keepers",
  paysWhen:
    "pays when bill and bond together exceed p × share of the stake: where the stake token falls and the least bond " +
    "does not, or where nobody disputes (a payer may without being sampled; keepers' programs open none yet)",
  reckon: (parameters, node) => {
    const billUsd6 = largestFittingTaskUsd6(parameters, node);
    return {
      gainUsd6: billUsd6 + demandBondUsd6(parameters, billUsd6),
      lossUsd6: auditedUsd6(parameters, node) + attestedFalselyUsd6(parameters),
    };
  },
  bad: { minimumDemandBondUsd6: 100_000_000n },
};

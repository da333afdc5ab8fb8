import type { Attack } from "../attack.ts";
import { auditedUsd6, demandBondUsd6, largestFittingTaskUsd6 } from "../values.ts";

/** One party runs the node and a quorum of keepers; the payer demands what was never there. */
export const falseAttestation: Attack = {
  id: "false-attestation",
  attacker: "node and keepers",
  act: "bill garbage that nobody stored, and attest it by a quorum of their own",
  gain: "the bill of the largest task, and the payer's bond where attesters are paid",
  loss: "what garbage costs: p × stake × wrong-result share; the contracts take nothing of the keepers",
  paysWhen:
    "pays when the bill exceeds p × share of the stake, or where nobody disputes (a payer may without being sampled; " +
    "keepers' programs open none yet)",
  reckon: (parameters, node) => {
    const billUsd6 = largestFittingTaskUsd6(parameters, node);
    const bondUsd6 = parameters.attestersUnpaid === 0n ? demandBondUsd6(parameters, billUsd6) : 0n;
    return { gainUsd6: billUsd6 + bondUsd6, lossUsd6: auditedUsd6(parameters, node) };
  },
  bad: { sampleBps: 100n },
};

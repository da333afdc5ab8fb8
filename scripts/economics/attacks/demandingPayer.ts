import type { Attack } from "../attack.ts";
import { demandBondUsd6, largestFittingTaskUsd6, shareDown, shareUp } from "../values.ts";

/** Where keepers are silent the payer has its bill back, and the output that it had all along. */
export const demandingPayer: Attack = {
  id: "demanding-payer",
  attacker: "payer",
  act: "demands an output that it has",
  gain: "chance that no quorum attests in time × the bill; nothing where keepers answer",
  loss: "(1 − that chance) × bond of the demand: a part of the bill, or the least bond",
  paysWhen:
    "pays when keepers that hold an output are silent in more than 1 ÷ (1 + billPerBond) of demands: nobody pays their " +
    "gas, so keepers must answer for the sake of their nodes, and gateways keep an output for both windows",
  reckon: (parameters, node) => {
    const billUsd6 = largestFittingTaskUsd6(parameters, node);
    return {
      gainUsd6: shareUp(billUsd6, parameters.silentQuorumBps),
      lossUsd6: shareDown(demandBondUsd6(parameters, billUsd6), 10_000n - parameters.silentQuorumBps),
    };
  },
  bad: { silentQuorumBps: 3_000n },
};

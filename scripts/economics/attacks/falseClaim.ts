import type { Attack } from "../attack.ts";
import { timeUsd6 } from "../values.ts";

export const falseClaim: Attack = {
  id: "false-claim",
  attacker: "node",
  act: "claims a floor for work that it did not do",
  gain: "nothing: what is claimed burns",
  loss: "as much of its own stake as the payer loses of its allotment",
  paysWhen: "pays never: `claimFloor` moves money to nobody; it costs the node a unit for each unit of harm",
  reckon: (parameters, node) => ({
    gainUsd6: 0n,
    lossUsd6: timeUsd6(parameters, node, parameters.creditWindowMs),
  }),
};

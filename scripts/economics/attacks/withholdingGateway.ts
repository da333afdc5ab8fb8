import type { Attack } from "../attack.ts";

export const withholdingGateway: Attack = {
  id: "withholding-gateway",
  attacker: "gateway",
  act: "withholds messages or blobs",
  gain: "nothing: it holds no money, reads no plaintext, and anyone else may relay what was signed",
  loss: "the traffic, which goes to the next gateway",
  paysWhen:
    "pays never by itself; harms whoever uses only one gateway: an input that does not arrive is not " +
    "accepted, hence no fault",
  reckon: () => ({ gainUsd6: 0n, lossUsd6: 0n }),
};

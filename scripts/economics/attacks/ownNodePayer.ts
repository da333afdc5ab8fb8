import type { Attack } from "../attack.ts";
import { shareDown } from "../values.ts";

const SPEND_CAP_USD6 = 10_000_000n;

/** Reckoned for a session of 10 USD. */
export const ownNodePayer: Attack = {
  id: "own-node-payer",
  attacker: "payer",
  act: "signs its whole cap (10 USD) to its own node, so that honest nodes go unpaid",
  gain: "nothing: a lane is paid from its own allotment (INV-16)",
  loss: "the treasury fee on what it pays itself: cap × feeBps",
  paysWhen: "pays never; an honest node loses only what it serves beyond its allotment",
  reckon: ({ feeBps }) => ({ gainUsd6: 0n, lossUsd6: shareDown(SPEND_CAP_USD6, feeBps) }),
};

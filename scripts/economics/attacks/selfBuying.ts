import type { Attack } from "../attack.ts";
import { shareDown } from "../values.ts";

const BOUGHT_USD6 = 10_000_000n;

/** Reckoned for tasks of 10 USD. */
export const selfBuying: Attack = {
  id: "self-buying",
  attacker: "newcomer",
  act: "buys its own tasks (10 USD) to raise its score",
  gain: "nothing: score comes from keepers' transcripts, quality from audits; traffic counts in neither",
  loss: "the treasury fee on what it buys (on the direct rail: gas alone)",
  paysWhen: "pays never, while no figure of the selection reads traffic",
  reckon: ({ feeBps }) => ({ gainUsd6: 0n, lossUsd6: shareDown(BOUGHT_USD6, feeBps) }),
};

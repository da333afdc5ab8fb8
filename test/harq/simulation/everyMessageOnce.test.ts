/** Whatever a network does to its packets, every message ends once, as both sides agree, and leaves nothing behind. */
import { test } from "node:test";
import { expect } from "chai";
import { linkEvents } from "../support/lossyLink.ts";
import { playScenario, troubles } from "../support/scenario.ts";
import { seeds, underSeed } from "../support/seeds.ts";
import { keptSeeds } from "./keptSeeds.ts";

const file = "test/harq/simulation/everyMessageOnce.test.ts";

test("every message arrives once with its bytes, over networks that lose, repeat, reorder, change and break", () => {
  for (const seed of seeds(3_000, keptSeeds)) underSeed(seed, file, () => playScenario(seed));
});

test("those networks lose, repeat, reorder, corrupt, overflow, break, slow down and shrink packets, in every way", () => {
  const networks = 300;
  const played = Array.from({ length: networks }, (_, at) => playScenario(at + 1));
  const share = (isSo: (one: (typeof played)[number]) => boolean): number => played.filter(isSo).length / networks;
  for (const what of linkEvents) expect(share(({ counts }) => counts[what] > 0), what).to.be.above(0.03);
  for (const what of troubles) expect(share((one) => one.troubles.has(what)), what).to.be.above(0.05);
});

/** Whatever a network does to its packets, every message ends once, as both sides agree, and leaves nothing behind. */
import { test } from "node:test";
import { playScenario } from "../support/scenario.ts";
import { seeds, underSeed } from "../support/seeds.ts";

const file = "test/harq/simulation/everyMessageOnce.test.ts";

test("every message arrives once with its bytes, over networks that lose, repeat, reorder, change and break", () => {
  for (const seed of seeds(3_000)) underSeed(seed, file, () => playScenario(seed));
});

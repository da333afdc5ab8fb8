/** Under either class, whatever a network does to its packets, every message ends once and leaves nothing behind. */
import { test } from "node:test";
import { createController } from "@ngpu/protocol/harq/congestion/createController";
import { playScenario } from "../support/scenario.ts";
import { seeds, underSeed } from "../support/seeds.ts";

const file = "test/harq/congestion/everyMessageOnce.test.ts";

/** The class that yields takes jitter for a queue, and so keeps to a few packets a round trip where there is much of it. */
const patienceUs = { fair: undefined, background: 300_000_000 };

for (const kind of ["fair", "background"] as const) {
  test(`every message arrives once under the ${kind} class, over networks that lose, repeat, reorder and break`, () => {
    for (const seed of seeds(300)) {
      underSeed(seed, file, () => playScenario(seed, (options) => createController(kind, options), patienceUs[kind]));
    }
  });
}

/** What a process holds after a long time, in a process of its own: other tests leave their own behind. */
import { test } from "node:test";
import { expect } from "chai";
import { keptMemory } from "../support/keptMemory.ts";
import { createRandom } from "../support/random.ts";
import { aPath } from "./completion.ts";

test("an hour of a third lost leaves the memory of both ends where it was after its first minutes", () => {
  const { world } = aPath({ seed: 1, start: "warm", loss: 0.3, rttUs: 200_000, bytesPerSecond: 60_000 });
  const { near, far, queue } = world;
  const bytes = createRandom(1).bytes(100_000);
  const endUs = queue.nowUs() + 3_600_000_000;
  let atFirst: number | undefined;
  let carried = 0;
  while (queue.nowUs() < endUs) {
    near.send(bytes);
    carried += 1;
    expect(world.runUntil(() => far.deliveries.length === 1, queue.nowUs() + 60_000_000)).to.equal(true);
    for (const { deliveries, events } of [near, far]) deliveries.length = events.length = 0;
    if (carried === 100) atFirst = keptMemory();
  }
  expect(carried).to.be.above(1_000);
  const kept = keptMemory();
  expect(kept / atFirst!, `${atFirst} bytes, and later ${kept}`).to.be.below(1.05);
  expect(far.mostHeldBytes()).to.be.below(2 * bytes.length);
});

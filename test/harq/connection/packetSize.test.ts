/** How large packets may be: probed upwards, and found out when the path carries less than before. */
import { test } from "node:test";
import { expect } from "chai";
import { aWorld, data, quiet, ready } from "../support/connections.ts";
import { bernoulli } from "../support/lossyLink.ts";
import { createRandom } from "../support/random.ts";
import { sha256Of, type World } from "../support/world.ts";

test("fifteen in a hundred lost at random of a hundred megabytes never lower the packet size", () => {
  const world = aWorld(1_400);
  world.openPath(0, { there: { ...quiet, loss: bernoulli(createRandom(3), 0.15) } });
  ready(world, [0]);
  world.runUntil(() => false, 2_000_000);
  const messages = Math.ceil(100_000_000 / data.length);
  for (let at = 0; at < messages; at += 1) world.near.send(data);
  expect(world.runUntil(() => world.far.deliveries.length === messages, 120_000_000)).to.equal(true);
  expect(sizesOf(world)).to.deep.equal([1_392]);
});

test("the largest size is known no later than that the path is good, for the first message to be cut by", () => {
  const world = aWorld(1_472);
  world.openPath(0, { there: quiet });
  world.near.send(data);
  expect(world.runUntil(() => world.far.deliveries.length === 1, 10_000_000)).to.equal(true);
  expect(sizesOf(world)).to.deep.equal([1_472]);
  expect(world.near.connection.counts.sentPackets).to.be.below(1.02 * Math.ceil(data.length / 1_408) + 10);
});

test("where the largest size does not come through, smaller ones are tried upwards", () => {
  const world = aWorld(1_472);
  world.openPath(0, { there: { ...quiet, largestBytes: 1_400 } });
  ready(world, [0]);
  world.runUntil(() => false, 2_000_000);
  expect(sizesOf(world)).to.deep.equal([1_280, 1_392]);
});

test("a path that carries smaller packets than before is found out, and the message completes", () => {
  const world = aWorld(1_400);
  const path = world.openPath(0, { there: { ...quiet, loss: bernoulli(createRandom(3), 0.05) } });
  ready(world, [0]);
  world.runUntil(() => false, 2_000_000);
  expect(sizesOf(world)).to.deep.equal([1_392]);
  world.near.send(data);
  world.runUntil(() => world.far.connection.inbox.heldBytes() > 0, world.queue.nowUs() + 1_000_000);
  path.there.change({ largestBytes: 1_280 });
  const droppedUs = world.queue.nowUs();
  expect(world.runUntil(() => world.far.deliveries.length === 1, droppedUs + 10_000_000)).to.equal(true);
  const fell = world.near.events.find((event) => event.type === "packetSize" && event.bytes === 1_200);
  expect(fell!.atUs - droppedUs).to.be.below(1_000_000);
  world.runUntil(() => false, world.queue.nowUs() + 3_000_000);
  expect(world.far.deliveries.map(({ sha256 }) => sha256)).to.deep.equal([sha256Of(data)]);
  expect(world.near.events.filter(({ type }) => type === "sent").length).to.equal(1);
});

function sizesOf(world: World): number[] {
  return world.near.events.flatMap((event) => (event.type === "packetSize" ? [event.bytes] : []));
}

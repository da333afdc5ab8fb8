/** Paths prove themselves, fall silent, and share the work; messages go on without being delivered twice. */
import { test } from "node:test";
import { expect } from "chai";
import { createRandom } from "../support/random.ts";
import { aWorld, data, quiet, rate, ready } from "../support/connections.ts";
import { bernoulli, type LinkConditions } from "../support/lossyLink.ts";
import { rememberPath } from "@ngpu/protocol/harq/connection/rememberPath";
import { sha256Of } from "../support/world.ts";

test("no symbol goes over a path before it proved itself", () => {
  const world = aWorld();
  const path = world.openPath(0, { there: quiet, back: { ...quiet, isDown: true } });
  world.near.send(data);
  world.runUntil(() => false, 3_000_000);
  expect(world.near.connection.counts.sourceBytes).to.equal(0);
  path.back.change({ isDown: false });
  expect(world.runUntil(() => world.far.deliveries.length === 1, 20_000_000)).to.equal(true);
});

test("to an address that has not proved itself goes at most three times what came from it", () => {
  const world = aWorld();
  const path = world.openPath(0, { there: quiet, back: { ...quiet, isDown: true } });
  world.far.send(data);
  for (let at = 0; at < 40; at += 1) {
    world.runUntil(() => false, world.queue.nowUs() + 500_000);
    const { sentBytes, receivedBytes } = world.far.connection.counts;
    expect(sentBytes).to.be.at.most(3 * receivedBytes);
  }
  expect(path.back.wireBytes()).to.be.above(0);
  expect(world.far.connection.counts.sourceBytes).to.equal(0);
});

test("a path that fell silent is left for another, which carries the message on and delivers it once", () => {
  const world = aWorld();
  const first = world.openPath(0, { there: quiet });
  world.openPath(1, { kind: "stream", there: { ...quiet, queueBytes: Infinity } });
  ready(world, [0, 1]);
  world.near.send(data);
  world.runUntil(() => world.far.connection.inbox.heldBytes() > 0, 5_000_000);
  const goneUs = world.queue.nowUs();
  for (const link of [first.there, first.back]) link.change({ isDown: true });
  expect(world.runUntil(() => world.far.deliveries.length === 1, goneUs + 4_000_000)).to.equal(true);
  expect(world.near.events.some(({ type }) => type === "pathSuspect")).to.equal(true);
  for (const link of [first.there, first.back]) link.change({ isDown: false });
  world.runUntil(() => false, world.queue.nowUs() + 60_000_000);
  expect(world.far.deliveries.map(({ sha256 }) => sha256)).to.deep.equal([sha256Of(data)]);
  expect(world.near.connection.paths.get(0)!.isSuspect, "tried again after thirty seconds").to.equal(false);
});

test("a path without answers is probed with two new symbols at a time, less and less often, at most every second", () => {
  const world = aWorld();
  const path = world.openPath(0, { there: quiet });
  ready(world, [0]);
  world.near.send(data.subarray(0, 50_000));
  path.there.change({ isDown: true });
  path.back.change({ isDown: true });
  world.runUntil(() => false, world.queue.nowUs() + 140_000);
  const { counts } = world.near.connection;
  const sentAtUs: number[] = [];
  let before = counts.sentPackets;
  const note = (): boolean => {
    for (; before < counts.sentPackets; before += 1) sentAtUs.push(world.queue.nowUs());
    return false;
  };
  world.runUntil(note, world.queue.nowUs() + 6_000_000);
  const times = [...new Set(sentAtUs)];
  expect(sentAtUs.length).to.equal(2 * times.length);
  const pauses = times.slice(1).map((atUs, at) => atUs - times[at]!);
  expect(pauses.every((pause, at) => at === 0 || pause >= pauses[at - 1]! - 1)).to.equal(true);
  expect(pauses.at(-1)).to.equal(1_000_000);
});

test("a stream that went half-open is left for another", () => {
  const world = aWorld();
  const stream = { ...quiet, queueBytes: Infinity };
  const first = world.openPath(0, { kind: "stream", there: stream });
  world.openPath(1, { kind: "stream", there: stream });
  ready(world, [0, 1]);
  world.near.send(data);
  world.runUntil(() => world.far.connection.inbox.heldBytes() > 0, 5_000_000);
  first.there.change({ isDown: true });
  first.back.change({ isDown: true });
  expect(world.runUntil(() => world.far.deliveries.length === 1, world.queue.nowUs() + 5_000_000)).to.equal(true);
  world.runUntil(() => false, world.queue.nowUs() + 10_000_000);
  expect(world.far.deliveries.length).to.equal(1);
});

test("one healthy stream carries source symbols and nothing else, several carry parity too", () => {
  for (const count of [1, 4]) {
    const world = aWorld();
    const paths = Array.from({ length: count }, (_, id) => id);
    for (const id of paths) world.openPath(id, { kind: "stream", there: { ...quiet, queueBytes: Infinity } });
    ready(world, paths);
    world.near.send(data);
    expect(world.runUntil(() => world.near.events.some(({ type }) => type === "sent"), 20_000_000)).to.equal(true);
    const { repairBytes, sourceBytes } = world.near.connection.counts;
    if (count === 1) expect(repairBytes).to.equal(0);
    else expect(repairBytes / sourceBytes).to.be.within(0.2, 0.35);
  }
});

test("streams that stall hold nothing up: the others complete the message, which is delivered once", () => {
  const world = aWorld();
  const stream = { ...quiet, queueBytes: Infinity };
  const paths = [0, 1, 2, 3].map((id) => world.openPath(id, { kind: "stream", there: stream }));
  ready(world, [0, 1, 2, 3]);
  for (const { there } of paths.slice(2)) there.change({ delayUs: 3_000_000 });
  const sentUs = world.queue.nowUs();
  const bytes = data.subarray(0, 150_000);
  world.near.send(bytes);
  expect(world.runUntil(() => world.far.deliveries.length === 1, sentUs + 400_000)).to.equal(true);
  expect(world.near.connection.paths.get(3)!.stalls).to.equal(1);
  world.runUntil(() => false, world.queue.nowUs() + 10_000_000);
  expect(world.far.deliveries.map(({ sha256 }) => sha256)).to.deep.equal([sha256Of(bytes)]);
  const { sourceBytes, repairBytes } = world.near.connection.counts;
  expect(sourceBytes + repairBytes).to.be.below(2 * bytes.length);
});

test("a datagram path is raced, never waited for: a blocked one costs nothing, one that proves itself takes over", () => {
  const taken = (conditions: Partial<LinkConditions> | undefined): number => {
    const world = aWorld();
    world.openPath(0, { kind: "stream", there: { ...quiet, queueBytes: Infinity } });
    const raced = conditions && world.openPath(1, { there: { ...quiet, ...conditions } });
    world.near.send(data);
    expect(world.runUntil(() => world.far.deliveries.length === 1, 20_000_000)).to.equal(true);
    const isUsed = raced !== undefined && raced.there.wireBytes() > data.length / 4;
    expect(isUsed).to.equal(conditions !== undefined && conditions.isDown !== true);
    expect(world.far.deliveries[0]!.sha256).to.equal(sha256Of(data));
    return world.queue.nowUs();
  };
  const alone = taken(undefined);
  expect(taken({ isDown: true })).to.be.at.most(1.05 * alone);
  taken({ delayUs: 30_000 });
});

test("two datagram paths carry one message together", () => {
  const alone = takenUs([0]);
  expect(takenUs([0, 1])).to.be.below(0.7 * alone);
});

test("a new address must prove itself, and the message goes on when it has", () => {
  const world = aWorld();
  world.openPath(0, { there: quiet });
  ready(world, [0]);
  world.near.send(data);
  world.runUntil(() => world.near.connection.counts.sourceBytes > 100_000, 5_000_000);
  const { sentBytes, receivedBytes } = world.near.connection.counts;
  world.near.feed({ type: "movePath", path: 0 });
  while (!world.near.connection.paths.get(0)!.isValidated) {
    const { counts } = world.near.connection;
    expect(counts.sentBytes - sentBytes).to.be.at.most(3 * (counts.receivedBytes - receivedBytes));
    world.runUntil(() => false, world.queue.nowUs() + 500);
  }
  expect(world.runUntil(() => world.far.deliveries.length === 1, world.queue.nowUs() + 10_000_000)).to.equal(true);
  expect(world.near.connection.paths.get(0)!.isValidated).to.equal(true);
});

test("what a path has learned is remembered for the next connection", () => {
  const world = aWorld();
  world.openPath(0, { there: { ...quiet, loss: bernoulli(createRandom(2), 0.1) } });
  ready(world, [0]);
  for (let at = 0; at < 4; at += 1) world.near.send(data);
  world.runUntil(() => world.far.deliveries.length === 4, 20_000_000);
  const memory = rememberPath(world.near.connection, 0)!;
  expect(memory.loss.lost / (memory.loss.arrived + memory.loss.lost)).to.be.within(0.07, 0.13);
  expect(memory.congestion.bytesPerSecond).to.be.above(rate / 2);
});

function takenUs(paths: readonly number[]): number {
  const world = aWorld();
  for (const id of paths) world.openPath(id, { there: quiet });
  ready(world, paths);
  const startUs = world.queue.nowUs();
  world.near.send(data);
  expect(world.runUntil(() => world.far.deliveries.length === 1, 20_000_000)).to.equal(true);
  return world.queue.nowUs() - startUs;
}

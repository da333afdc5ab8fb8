/**
 * What brought other transports down, each on a virtual clock: outages, storms, reordering, ids that run out, and
 * more.
 */
import { test } from "node:test";
import { median } from "@ngpu/protocol/selection/median";
import { expect } from "chai";
import { createFixedRate } from "../support/controllers.ts";
import { bernoulli, gilbertPackets, gilbertTime } from "../support/lossyLink.ts";
import { createRandom } from "../support/random.ts";
import { seeds } from "../support/seeds.ts";
import { sha256Of } from "../support/world.ts";
import { aPath, measureCompletion } from "./completion.ts";

const fast = { rttUs: 100_000, bytesPerSecond: 12_500_000, seed: 1, start: "warm" } as const;
const megabyte = 1_000_000;

test("after an outage of two seconds a transfer ends within two round trips and what remains at the rate", () => {
  for (const seed of [1, 2, 3]) {
    const { world, path } = aPath({ ...fast, loss: 0.02, seed });
    const bytes = createRandom(seed).bytes(10 * megabyte);
    const startUs = world.queue.nowUs();
    world.near.send(bytes);
    const links = [path.there, path.back];
    const goneUs = startUs + 400_000;
    const backUs = goneUs + 2_000_000;
    world.queue.at(goneUs, () => links.forEach((link) => link.change({ isDown: true })));
    world.queue.at(backUs, () => links.forEach((link) => link.change({ isDown: false })));
    world.runUntil(() => world.queue.nowUs() >= backUs, backUs);
    const [deficit] = [world.far.connection.inbox.heldBytes()];
    expect(deficit).to.be.above(0);
    expect(world.runUntil(() => world.far.deliveries.length === 1, backUs + 60_000_000)).to.equal(true);
    const remainingUs = ((10 * megabyte) / 12_500_000) * 1e6 * 1.3 - 400_000;
    expect(world.far.deliveries[0]!.atUs - backUs).to.be.below(2 * fast.rttUs + remainingUs);
    const laterUs = world.queue.nowUs() + 1_000_000;
    world.runUntil(() => false, laterUs);
    world.near.send(bytes.subarray(0, 4_096), "interactive");
    world.runUntil(() => world.far.deliveries.length === 2, laterUs + 1_000_000);
    expect(world.far.deliveries[1]!.atUs - laterUs).to.be.below(60_000);
  }
});

test("an outage right after the start does not multiply the bytes", () => {
  const { world, path } = aPath({ ...fast, loss: 0.02 });
  const startUs = world.queue.nowUs();
  world.near.send(createRandom(1).bytes(megabyte));
  world.queue.at(startUs + 1_000, () => path.there.change({ isDown: true }));
  world.queue.at(startUs + 500_000, () => path.there.change({ isDown: false }));
  const before = path.there.wireBytes();
  expect(world.runUntil(() => world.near.events.some(({ type }) => type === "sent"), 30_000_000)).to.equal(true);
  expect((path.there.wireBytes() - before) / megabyte).to.be.below(2.6);
});

test("more offered than the link carries makes no storm of repair: the rate is kept, and the link stays used", () => {
  const linkBytesPerSecond = 625_000;
  const offered = 875_000;
  const { world, path } = aPath({
    ...fast,
    loss: 0.01,
    bytesPerSecond: linkBytesPerSecond,
    conditions: { queueBytes: 60_000 },
    createController: createFixedRate({ bytesPerSecond: offered, windowBytes: 250_000 }),
  });
  const startUs = world.queue.nowUs();
  for (let at = 0; at < 20; at += 1) world.near.send(createRandom(at).bytes(200_000));
  const sentBefore = world.near.connection.counts.sentBytes;
  const wireBefore = path.there.wireBytes();
  expect(world.runUntil(() => world.far.deliveries.length === 20, startUs + 60_000_000)).to.equal(true);
  const seconds = (world.queue.nowUs() - startUs) / 1e6;
  expect((world.near.connection.counts.sentBytes - sentBefore) / seconds).to.be.below(1.02 * offered);
  expect((path.there.wireBytes() - wireBefore) / seconds).to.be.at.most(1.01 * linkBytesPerSecond);
  expect(4_000_000 / seconds).to.be.above(0.8 * linkBytesPerSecond);
});

test("reordering without loss is not taken for loss", () => {
  const inOrder = measureCompletion({ ...fast, loss: 0, bytes: 10 * megabyte });
  const holds = { chance: 0.1, heldUs: fast.rttUs / 8 };
  const reordered = measureCompletion({ ...fast, loss: 0, bytes: 10 * megabyte, conditions: { holds } });
  expect(reordered.repairRatio).to.be.below(0.01);
  expect(inOrder.takenUs[0]! / reordered.takenUs[0]!).to.be.above(0.95);
});

test("a quarter of the packets late by five milliseconds at 500 Mbit/s slows nothing and repairs nothing", () => {
  const quick = { ...fast, loss: 0, rttUs: 20_000, bytesPerSecond: 62_500_000, bytes: 10 * megabyte };
  const inOrder = measureCompletion(quick);
  const reordered = measureCompletion({ ...quick, conditions: { holds: { chance: 0.25, heldUs: 5_000 } } });
  expect(reordered.repairRatio).to.be.below(0.03);
  expect(inOrder.takenUs[0]! / reordered.takenUs[0]!).to.be.above(0.9);
});

test("a message completes though its repair ids run out, by the source symbols that the receiver misses", () => {
  for (let seed = 1; seed <= 8; seed += 1) {
    const { world, path } = aPath({ ...fast, loss: 0.02, seed });
    path.there.change({ loss: bernoulli(createRandom(seed), 0.75) });
    const bytes = createRandom(seed).bytes(300_000);
    const startUs = world.queue.nowUs();
    world.near.send(bytes);
    expect(world.runUntil(() => world.far.deliveries.length === 1, startUs + 5_000_000)).to.equal(true);
    const { sourceBytes, repairBytes } = world.near.connection.counts;
    expect(sourceBytes, "ids ran out").to.be.above(bytes.length);
    expect((sourceBytes + repairBytes) / bytes.length).to.be.below(2 / 0.25);
  }
});

test("bursts that take six packets of ten do not stop a message", () => {
  for (let seed = 1; seed <= 8; seed += 1) {
    const { takenUs } = measureCompletion({
      ...fast,
      loss: 0.02,
      seed,
      bytes: 300_000,
      lossModel: (random) => gilbertPackets(random, { probability: 0.6, burst: 8 }),
    });
    expect(takenUs[0]).to.be.below(10_000_000);
  }
});

test("ten megabytes under outages of fifty milliseconds that take a tenth of the time end within five seconds", () => {
  const runs = seeds(20).map((seed) =>
    measureCompletion({
      ...fast,
      loss: 0.1,
      rttUs: 200_000,
      seed,
      bytes: 10 * megabyte,
      lossModel: (random) => gilbertTime(random, { probability: 0.1, outageUs: 50_000 }),
    }),
  );
  const taken = runs.map(({ takenUs }) => takenUs[0]!);
  const ratios = runs.map(({ wireRatio }) => wireRatio);
  expect(Math.max(...taken)).to.be.below(5_000_000);
  expect(Math.max(...ratios)).to.be.below(2.5);
  expect([median(taken) < 1_300_000, median(ratios) < 1.35], "and as a rule far below").to.deep.equal([true, true]);
});

test("what is sent for each symbol follows the loss as it steps from none to a fifth and to a fiftieth", () => {
  const { world, path } = aPath({ ...fast, loss: 0, bytesPerSecond: 2_500_000 });
  const { counts } = world.near.connection;
  for (let at = 0; at < 24; at += 1) world.near.send(createRandom(at).bytes(megabyte));
  const ratios = [0, 0.2, 0.02].map((loss) => {
    path.there.change({ loss: bernoulli(createRandom(5), loss) });
    world.runUntil(() => false, world.queue.nowUs() + 10 * fast.rttUs);
    const { sourceBytes, repairBytes } = counts;
    world.runUntil(() => false, world.queue.nowUs() + 2_000_000);
    return (counts.sourceBytes - sourceBytes + counts.repairBytes - repairBytes) / (counts.sourceBytes - sourceBytes);
  });
  expect(ratios[0]).to.be.below(1.05);
  expect(ratios[1]).to.be.below(1.8);
  expect(ratios[2]).to.be.below(1.15);
});

test("what a connection keeps does not grow with what it has carried", () => {
  const { world } = aPath({ ...fast, loss: 0.3, rttUs: 40_000 });
  const kept = (): number => {
    const { near, far } = world;
    const books = [near, far].flatMap(({ connection }) =>
      [...connection.paths.values()].map(({ book }) => book.size()),
    );
    return Math.max(...books, far.connection.inbox.heldIds(), near.connection.outbox.open().length);
  };
  const carry = (messages: number): number => {
    let most = 0;
    for (let at = 0; at < messages; at += 1) {
      const before = world.far.deliveries.length;
      world.near.send(createRandom(at).bytes(100_000));
      world.runUntil(() => world.far.deliveries.length > before, world.queue.nowUs() + 30_000_000);
      most = Math.max(most, kept());
    }
    return most;
  };
  const twoSecondsOfPackets = (2.2 * fast.bytesPerSecond) / 1_200;
  expect(carry(200)).to.be.below(twoSecondsOfPackets);
  world.runUntil(() => false, world.queue.nowUs() + 60_000_000);
  expect(world.far.connection.inbox.heldBytes() + world.far.connection.inbox.heldIds()).to.equal(1);
  expect(world.far.mostHeldBytes()).to.be.below(2 * 104_000 + 4_096);
});

test("a large message delays a small one that someone waits for by one burst", () => {
  const { world } = aPath({ ...fast, loss: 0 });
  world.near.send(createRandom(1).bytes(8 * megabyte));
  world.runUntil(() => false, world.queue.nowUs() + 200_000);
  const sentUs = world.queue.nowUs();
  const small = createRandom(2).bytes(4_096);
  world.near.send(small, "interactive");
  world.runUntil(() => world.far.deliveries.length > 0, sentUs + 10_000_000);
  expect(world.far.deliveries[0]!.sha256).to.equal(sha256Of(small));
  expect(world.far.deliveries[0]!.atUs - sentUs).to.be.below(fast.rttUs / 2 + 6_000);
});

test("a message above 16 MiB comes in pieces, in order, with a bounded part of it held", () => {
  const bytes = createRandom(1).bytes(24 * 1024 * 1024);
  const { world } = aPath({ ...fast, rttUs: 20_000, bytesPerSecond: 125_000_000, loss: 0.01 });
  world.near.send(bytes);
  expect(world.runUntil(() => world.far.deliveries.length === 1, 60_000_000)).to.equal(true);
  expect(world.far.deliveries[0]!.sha256).to.equal(sha256Of(bytes));
  let offset = 0;
  for (const event of world.far.events) {
    if (event.type !== "piece") continue;
    expect(event.offset).to.equal(offset);
    offset += event.bytes.length;
  }
  expect(offset).to.equal(bytes.length);
  expect(world.far.mostHeldBytes()).to.be.below(17 * 1024 * 1024);
});

/** Paths prove themselves, fall silent, shrink, move and come back; messages go on without being delivered twice. */
import { test } from "node:test";
import { expect } from "chai";
import { createConnection, step } from "@ngpu/protocol/harq/connection";
import type { Connection, ConnectionInput, StepResult } from "@ngpu/protocol/harq/connection/connectionState";
import { decodeHeader } from "@ngpu/protocol/harq/wire/datagramHeader";
import { rememberPath } from "@ngpu/protocol/harq/connection/rememberPath";
import { createErasureCodec } from "@ngpu/protocol/wire/fec/createErasureCodec";
import { createDoubling, createFixedRate } from "../support/controllers.ts";
import { bernoulli, type LinkConditions } from "../support/lossyLink.ts";
import { createPlainProtection } from "../support/plainProtection.ts";
import { createRandom } from "../support/random.ts";
import { createHasher, createWorld, sha256Of, type World } from "../support/world.ts";

const rate = 2_500_000;
const quiet: LinkConditions = { delayUs: 20_000, bytesPerSecond: rate, queueBytes: 1_000_000 };
const data = createRandom(8).bytes(600_000);

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

test("two datagram paths carry one message together", () => {
  const alone = takenUs([0]);
  expect(takenUs([0, 1])).to.be.below(0.7 * alone);
});

test("fifteen in a hundred lost at random never lower the packet size", () => {
  const world = aWorld(1_400);
  world.openPath(0, { there: { ...quiet, loss: bernoulli(createRandom(3), 0.15) } });
  ready(world, [0]);
  world.runUntil(() => false, 2_000_000);
  for (let at = 0; at < 25; at += 1) world.near.send(data);
  expect(world.runUntil(() => world.far.deliveries.length === 25, 60_000_000)).to.equal(true);
  expect(sizesOf(world)).to.deep.equal([1_280, 1_392]);
});

test("a path that carries smaller packets than before is found out, and the message completes", () => {
  const world = aWorld(1_400);
  const path = world.openPath(0, { there: { ...quiet, loss: bernoulli(createRandom(3), 0.05) } });
  ready(world, [0]);
  world.runUntil(() => false, 2_000_000);
  expect(sizesOf(world)).to.deep.equal([1_280, 1_392]);
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

test("a connection that broke goes on by what the receiver has, under new keys and over a new path", () => {
  const world = aWorld();
  const old = world.openPath(0, { there: quiet });
  ready(world, [0]);
  world.near.send(data);
  world.runUntil(() => world.near.connection.counts.sourceBytes > 400_000, 5_000_000);
  for (const link of [old.there, old.back]) link.change({ isDown: true });
  world.runUntil(() => false, world.queue.nowUs() + 300_000);
  const before = world.near.connection.counts.sourceBytes + world.near.connection.counts.repairBytes;
  const protection = createPlainProtection(8n);
  for (const side of [world.near, world.far]) side.feed({ type: "reconnect", protection });
  world.openPath(1, { there: quiet });
  expect(world.runUntil(() => world.far.deliveries.length === 1, world.queue.nowUs() + 10_000_000)).to.equal(true);
  expect(world.far.deliveries[0]!.sha256).to.equal(sha256Of(data));
  const { sourceBytes, repairBytes } = world.near.connection.counts;
  expect(sourceBytes + repairBytes - before).to.be.below(0.6 * data.length);
});

test("datagrams of an earlier connection, of another key or repeated do nothing", () => {
  const connection = aConnection();
  const earlier = aConnection(6n);
  const opening = step(earlier, { type: "openPath", path: 0, kind: "datagram" }, 0).datagrams[0]!;
  step(connection, { type: "datagram", ...opening }, 0);
  expect([connection.counts.refused, connection.paths.size]).to.deep.equal([1, 0]);
  const peer = aConnection();
  const good = step(peer, { type: "openPath", path: 0, kind: "datagram" }, 0).datagrams[0]!;
  expect(step(connection, { type: "datagram", ...good }, 1).datagrams.length).to.be.above(0);
  expect(step(connection, { type: "datagram", ...good }, 2).datagrams.length).to.equal(0);
  expect(connection.counts.refused).to.equal(2);
});

test("a path that is opened again goes on counting, so that no packet number is used twice under one key", () => {
  const connection = aConnection();
  const numbers: number[] = [];
  const feed = (input: ConnectionInput, nowUs: number): void => {
    for (const { bytes } of step(connection, input, nowUs).datagrams) numbers.push(decodeHeader(bytes).packetNumber);
  };
  for (let round = 0; round < 3; round += 1) {
    feed({ type: "openPath", path: 0, kind: "datagram" }, round * 1_000);
    feed({ type: "closePath", path: 0 }, round * 1_000 + 500);
  }
  feed({ type: "openPath", path: 0, kind: "datagram" }, 5_000);
  feed({ type: "openPath", path: 0, kind: "datagram" }, 6_000);
  expect(numbers).to.deep.equal([0, 1, 2, 3, 4]);
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

test("a sender waits for credit that the application has not given back, and goes on when it has", () => {
  const sender = aConnection();
  const receiver = aConnection();
  const large = new Uint8Array(16 * 1024 * 1024);
  const source = { length: large.length, read: (at: number, length: number) => large.subarray(at, at + length) };
  const pump = createPump(sender, receiver);
  pump.feed(sender, { type: "openPath", path: 0, kind: "datagram", rttUs: 1_000 });
  for (let handle = 0; handle < 5; handle += 1) pump.feed(sender, { type: "send", handle, source, priority: "bulk" });
  const arrived = (): number[] => pump.events.flatMap((event) => (event.type === "message" ? [event.message] : []));
  pump.runUntil(() => arrived().length === 4);
  pump.runUntil(() => false, 2_000_000);
  expect(arrived().length, "the fifth would not fit").to.equal(4);
  pump.feed(receiver, { type: "consumed", message: arrived()[0]! });
  pump.runUntil(() => arrived().length === 5);
  expect(arrived().length).to.equal(5);
});

test("a message that is cancelled ends on both sides and leaves nothing", () => {
  const world = aWorld();
  world.openPath(0, { there: quiet });
  ready(world, [0]);
  const handle = world.near.send(data);
  world.runUntil(() => world.far.connection.inbox.heldBytes() > 0, 5_000_000);
  world.near.feed({ type: "cancel", handle, code: 5 });
  world.runUntil(() => world.near.events.some(({ type }) => type === "sent"), 5_000_000);
  world.runUntil(() => false, world.queue.nowUs() + 1_000_000);
  const ended = world.near.events.find((event) => event.type === "sent");
  expect(ended?.type === "sent" && ended.outcome).to.equal("cancelled");
  expect(world.far.events.some(({ type }) => type === "messageFailed")).to.equal(true);
  expect([world.far.connection.inbox.heldBytes(), world.near.connection.outbox.openBytes()]).to.deep.equal([0, 0]);
});

test("closing tells the peer why, and nothing is sent after", () => {
  const world = aWorld();
  const path = world.openPath(0, { there: quiet });
  ready(world, [0]);
  world.near.send(data);
  world.near.feed({ type: "close", code: 7, text: "going away" });
  world.runUntil(() => false, world.queue.nowUs() + 1_000_000);
  const closed = world.far.events.find((event) => event.type === "closed");
  expect(closed?.type === "closed" && [closed.code, closed.text, closed.byPeer]).to.deep.equal([7, "going away", true]);
  const sent = path.there.wireBytes() + path.back.wireBytes();
  world.runUntil(() => false, world.queue.nowUs() + 60_000_000);
  expect(path.there.wireBytes() + path.back.wireBytes()).to.equal(sent);
});

test("a peer that missed the closing hears it when it sends again", () => {
  const world = aWorld();
  const path = world.openPath(0, { there: quiet });
  ready(world, [0]);
  path.back.change({ isDown: true });
  world.far.feed({ type: "close", code: 3, text: "" });
  world.runUntil(() => false, world.queue.nowUs() + 1_000_000);
  path.back.change({ isDown: false });
  world.near.send(data);
  world.runUntil(() => false, world.queue.nowUs() + 1_000_000);
  expect(world.near.events.some((event) => event.type === "closed" && event.code === 3)).to.equal(true);
});

test("the same inputs at the same times give the same datagrams", () => {
  const play = (): string => {
    const world = aWorld();
    world.openPath(0, { there: { ...quiet, jitterUs: 5_000, loss: bernoulli(createRandom(2), 0.1) } });
    world.near.send(data);
    world.runUntil(() => world.far.deliveries.length === 1, 20_000_000);
    return JSON.stringify([world.queue.nowUs(), world.near.connection.counts, world.far.connection.counts]);
  };
  expect(play()).to.equal(play());
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

function aWorld(largestDatagramBytes?: number): World {
  const createController = createDoubling({ bytesPerSecond: 0.9 * rate });
  return createWorld({
    seed: 1,
    createController,
    ...(largestDatagramBytes === undefined ? {} : { largestDatagramBytes }),
  });
}

function ready(world: World, paths: readonly number[]): void {
  const isValid = (id: number): boolean =>
    [world.near, world.far].every(({ connection }) => connection.paths.get(id)?.isValidated === true);
  expect(world.runUntil(() => paths.every(isValid), 10_000_000)).to.equal(true);
}

function takenUs(paths: readonly number[]): number {
  const world = aWorld();
  for (const id of paths) world.openPath(id, { there: quiet });
  ready(world, paths);
  const startUs = world.queue.nowUs();
  world.near.send(data);
  expect(world.runUntil(() => world.far.deliveries.length === 1, 20_000_000)).to.equal(true);
  return world.queue.nowUs() - startUs;
}

function sizesOf(world: World): number[] {
  return world.near.events.flatMap((event) => (event.type === "packetSize" ? [event.bytes] : []));
}

function aConnection(connectionId = 7n): Connection {
  const random = createRandom(Number(connectionId));
  return createConnection({
    codec: createErasureCodec(),
    createHasher,
    protection: createPlainProtection(connectionId),
    createController: createFixedRate({ bytesPerSecond: 1e9, windowBytes: 4_000_000 }),
    randomBytes: (count) => random.bytes(count),
  });
}

/** Two connections with nothing between them but half a millisecond. */
function createPump(one: Connection, other: Connection) {
  let nowUs = 0;
  let underWay: { to: Connection; input: ConnectionInput }[] = [];
  const events: StepResult["events"][number][] = [];
  const feed = (connection: Connection, input: ConnectionInput): void => {
    const result = step(connection, input, nowUs);
    events.push(...result.events);
    const to = connection === one ? other : one;
    for (const datagram of result.datagrams) underWay.push({ to, input: { type: "datagram", ...datagram } });
  };
  return {
    events,
    feed,
    runUntil(isReached: () => boolean, forUs = 20_000_000): void {
      const endUs = nowUs + forUs;
      while (nowUs < endUs && !isReached()) {
        nowUs += 500;
        const arriving = underWay;
        underWay = [];
        for (const { to, input } of arriving) feed(to, input);
        feed(one, { type: "tick" });
        feed(other, { type: "tick" });
      }
    },
  };
}

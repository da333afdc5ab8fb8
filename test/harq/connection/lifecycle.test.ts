/** A connection from its first datagram to its last: keys, numbers, credit, breaks, cancellation, closing. */
import { test } from "node:test";
import { expect } from "chai";
import { step } from "@ngpu/protocol/harq/connection";
import { agree } from "@ngpu/protocol/harq/connection/agreedLimits";
import type { ConnectionInput } from "@ngpu/protocol/harq/connection/connectionState";
import { decodeHeader } from "@ngpu/protocol/harq/wire/datagramHeader";
import { aConnection, aWorld, createPump, data, quiet, ready } from "../support/connections.ts";
import { bernoulli } from "../support/lossyLink.ts";
import { createPlainProtection } from "../support/plainProtection.ts";
import { createRandom } from "../support/random.ts";
import { sha256Of } from "../support/world.ts";

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
  expect(numbers.length).to.be.at.least(5);
  expect(numbers).to.deep.equal(numbers.map((_, index) => index));
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

test("what the handshake agreed on bounds what is begun, and how large symbols and datagrams are", () => {
  const said = { codec: 0, largestSymbolBytes: 16_320, largestDatagramBytes: 1_472, creditBytes: 64 * 2 ** 20 };
  const less = { ...said, largestSymbolBytes: 1_088, largestDatagramBytes: 1_280, creditBytes: 16 * 2 ** 20 };
  const sender = aConnection(7n, agree(said, less));
  const receiver = aConnection(7n, agree(less, said));
  const large = new Uint8Array(10 * 2 ** 20);
  const source = { length: large.length, read: (at: number, length: number) => large.subarray(at, at + length) };
  const pump = createPump(sender, receiver);
  pump.feed(sender, { type: "openPath", path: 0, kind: "datagram", rttUs: 1_000 });
  for (const handle of [0, 1]) pump.feed(sender, { type: "send", handle, source, priority: "bulk" });
  const arrived = (): number[] => pump.events.flatMap((event) => (event.type === "message" ? [event.message] : []));
  pump.runUntil(() => arrived().length === 1);
  expect(sender.outbox.open().every(({ parts }) => parts.symbolBytes <= 1_088)).to.equal(true);
  pump.runUntil(() => false, 1_000_000);
  expect(arrived().length, "two would be above sixteen megabytes").to.equal(1);
  expect(sender.paths.get(0)!.size.packetBytes()).to.equal(1_280);
  pump.feed(receiver, { type: "consumed", message: arrived()[0]! });
  pump.runUntil(() => arrived().length === 2);
  expect(arrived().length).to.equal(2);
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

test("a peer that has nothing to send hears of the closing although the first word of it was lost", () => {
  const world = aWorld();
  const path = world.openPath(0, { there: quiet });
  ready(world, [0]);
  path.back.change({ isDown: true });
  world.far.feed({ type: "close", code: 3, text: "" });
  world.runUntil(() => false, world.queue.nowUs() + 50_000);
  path.back.change({ isDown: false });
  world.runUntil(() => false, world.queue.nowUs() + 1_000_000);
  expect(world.near.events.some((event) => event.type === "closed" && event.code === 3)).to.equal(true);
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

/** A link over real UDP sockets on loopback: loss, a peer that moves, garbage, and what the system refuses. */
import { expect } from "chai";
import { randomBytes } from "node:crypto";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { after, before, describe, it } from "node:test";
import { encodeHeader } from "@ngpu/protocol/harq/wire/datagramHeader";
import type { LinkMetrics } from "@ngpu/protocol/harq/link/linkMetrics";
import type { LinkPath } from "@ngpu/protocol/harq/link/linkPath";
import type { UdpAddress } from "@ngpu/protocol/service/harq/udpPath";
import { openUdpSocket, type UdpSocket } from "@ngpu/protocol/service/harq/udpSocket";
import { arrivalOf, collect, createLinkPair, dropping, until, type LinkPair } from "../support/links.ts";
import { createRandom } from "../support/random.ts";
import { createUdpRelay } from "../support/udpRelay.ts";

describe("a link over UDP", { timeout: 180_000 }, () => {
  let nearSocket: UdpSocket;
  let farSocket: UdpSocket;
  before(async () => {
    nearSocket = await openUdpSocket();
    farSocket = await openUdpSocket();
  });
  after(() => Promise.all([nearSocket.close(), farSocket.close()]));

  const connect = (
    { near, far, ids }: LinkPair,
    { remote = farSocket.address, wrap = (path: LinkPath): LinkPath => path } = {},
  ): void => {
    const there = nearSocket.createPath({ connectionId: ids.near, remote });
    const back = farSocket.createPath({ connectionId: ids.far });
    far.acceptPath({ id: 1, path: wrap(back) });
    near.openPath({ id: 1, path: wrap(there), rttUs: 2_000 });
  };
  const end = async ({ near, far }: LinkPair): Promise<void> => {
    await Promise.all([near.close(), far.closed]);
  };

  it("delivers a byte, a megabyte and twenty once, whole, where a tenth of all datagrams is lost", async () => {
    const pair = createLinkPair();
    const arrivals = collect(pair.far);
    const random = createRandom(11);
    let isOver = false;
    connect(pair, { wrap: (path) => dropping(path, random, 0.1, () => isOver) });
    const messages = [1, 1_000_000, 20_000_000].map((length) => randomBytes(length));
    for (const bytes of messages) expect(await pair.near.send(bytes)).to.equal("good");
    await until(() => arrivals.length === messages.length, "all are delivered");
    expect(arrivals).to.deep.equal(messages.map(arrivalOf));
    isOver = true;
    await end(pair);
  });

  it("goes on where a router gives the peer another port in the middle of a message", async () => {
    const relay = await createUdpRelay(farSocket.address);
    const pair = createLinkPair();
    const arrivals = collect(pair.far);
    connect(pair, { remote: relay.inside, wrap: (path) => dropping(path, createRandom(3), 0.02) });
    const bytes = randomBytes(12_000_000);
    let readBytes = 0;
    const sent = pair.near.send(bytes, { onProgress: (count) => (readBytes = count) });
    await until(() => readBytes > 2_000_000, "the message is under way");
    await relay.rebind();
    expect(await sent).to.equal("good");
    expect(arrivals).to.deep.equal([arrivalOf(bytes)]);
    expect(await pair.far.send(bytes.subarray(0, 100_000)), "and back").to.equal("good");
    await end(pair);
    relay.close();
  });

  it("ends a message at its signal, and delivers the next one", async () => {
    const pair = createLinkPair();
    const arrivals = collect(pair.far);
    connect(pair);
    const abort = new AbortController();
    const sent = pair.near.send(randomBytes(16_000_000), { signal: abort.signal, onProgress: () => abort.abort() });
    expect(await sent).to.equal("cancelled");
    const signal = AbortSignal.abort();
    expect(await pair.near.send(randomBytes(10), { signal }), "before it began").to.equal("cancelled");
    const next = randomBytes(5_000);
    expect(await pair.near.send(next, { priority: "interactive" })).to.equal("good");
    expect(arrivals).to.deep.equal([arrivalOf(next)]);
    await end(pair);
  });

  it("tells those who wait that the peer has closed", async () => {
    const pair = createLinkPair();
    connect(pair);
    let readBytes = 0;
    const sent = pair.near.send(randomBytes(16_000_000), { onProgress: (count) => (readBytes = count) });
    await until(() => readBytes > 0, "the message is under way");
    await pair.far.close(7, "enough");
    expect(await sent).to.equal("closed");
    expect(await pair.near.closed).to.deep.equal({ code: 7, text: "enough", byPeer: true });
    expect(await pair.near.send(randomBytes(1)), "afterwards").to.equal("closed");
    await pair.near.close();
  });

  it("keeps nothing of a flood of garbage, and closes nothing for it", async () => {
    const pair = createLinkPair();
    const arrivals = collect(pair.far);
    connect(pair);
    expect(await pair.near.send(randomBytes(100))).to.equal("good");
    const before = pair.far.metrics();
    const stranger = await openUdpSocket();
    const random = createRandom(5);
    const connectionId = pair.ids.far;
    const header = encodeHeader({ type: "data", keyPhase: 0, connectionId, packetNumber: 9_000, path: 1 });
    for (let at = 0; at < 20_000; at += 1) {
      const garbage = random.bytes(random.integer(0, 1_200));
      if (at % 2 === 0) garbage.set(header.subarray(0, garbage.length));
      stranger.send(garbage, farSocket.address);
      if (at % 50 === 0) await new Promise(setImmediate);
    }
    const bytes = randomBytes(500_000);
    expect(await pair.near.send(bytes)).to.equal("good");
    await until(() => arrivals.length === 2, "it is delivered");
    expect(arrivals.at(-1)).to.deep.equal(arrivalOf(bytes));
    const after: LinkMetrics = pair.far.metrics();
    expect(after.refused, "it did arrive").to.be.above(before.refused + 1_000);
    expect(after.heldBytes).to.equal(0);
    expect(after.paths.length).to.equal(1);
    await stranger.close();
    await end(pair);
  });

  it("restarted on the same port hears nothing of what was meant for the link before", async () => {
    const captured: Uint8Array[] = [];
    const first = createLinkPair();
    const keep = (path: LinkPath): LinkPath => ({
      ...path,
      send(bytes) {
        if (Buffer.from(bytes).readBigUInt64BE(1) === first.ids.far) captured.push(bytes);
        path.send(bytes);
      },
    });
    collect(first.far);
    connect(first, { wrap: keep });
    expect(await first.near.send(randomBytes(100_000))).to.equal("good");
    await end(first);
    await until(() => first.far.metrics().paths.length === 1 && captured.length > 0, "the first link is over");

    const second = createLinkPair();
    const arrivals = collect(second.far);
    connect(second);
    const unknownBefore = farSocket.counts().unknown;
    for (const bytes of captured) nearSocket.send(bytes, farSocket.address);
    const bytes = randomBytes(100_000);
    expect(await second.near.send(bytes)).to.equal("good");
    expect(arrivals).to.deep.equal([arrivalOf(bytes)]);
    const most = unknownBefore + captured.length / 2;
    await until(() => farSocket.counts().unknown > most, "what was old came to nobody");
    expect(second.far.metrics().refused).to.equal(0);
    await end(second);
  });

  it("counts what the system refuses, and goes on", async () => {
    const errors: (string | undefined)[] = [];
    const socket = await openUdpSocket({ onError: ({ code }) => errors.push(code) });
    socket.send(new Uint8Array(70_000), farSocket.address);
    await until(() => errors.length > 0, "the datagram is too large");
    expect(errors).to.deep.equal(["EMSGSIZE"]);
    const nobody = await openUdpSocket();
    const { address, port }: UdpAddress = nobody.address;
    await nobody.close();
    for (let at = 0; at < 10; at += 1) socket.send(new Uint8Array(100), { address, port });
    const before = farSocket.counts().unknown;
    socket.send(new Uint8Array(100), farSocket.address);
    await until(() => farSocket.counts().unknown > before, "it is heard");
    await socket.close();
  });

  it("carries a message whole where the system refuses one send in ten", async () => {
    const errors: (string | undefined)[] = [];
    const refusing = await openUdpSocket({ onError: ({ code }) => errors.push(code) });
    const pair = createLinkPair();
    const { near, far, ids } = pair;
    const arrivals = collect(far);
    const there = refusing.createPath({ connectionId: ids.near, remote: farSocket.address });
    const random = createRandom(9);
    // To port 0 nothing may be sent: the same call fails as it would on a device that takes no more.
    const nowhere = { ...farSocket.address, port: 0 };
    const send = (bytes: Uint8Array): void =>
      random.chance(0.1) ? refusing.send(bytes, nowhere) : there.send(bytes);
    far.acceptPath({ id: 1, path: farSocket.createPath({ connectionId: ids.far }) });
    near.openPath({ id: 1, path: { ...there, send }, rttUs: 2_000 });
    const bytes = randomBytes(5_000_000);
    expect(await near.send(bytes)).to.equal("good");
    await until(() => arrivals.length === 1, "it is delivered");
    expect(arrivals).to.deep.equal([arrivalOf(bytes)]);
    expect(refusing.counts().errors).to.be.above(100).and.to.equal(errors.length);
    await end(pair);
    await refusing.close();
  });

  it("holds at most 64 datagrams that the system does not take, and timers fire meanwhile", async () => {
    let mostQueued = 0;
    let fired = 0;
    const timer = setInterval(() => (fired += 1), 1);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const endMs = performance.now() + 300;
    while (performance.now() < endMs) {
      for (let at = 0; at < 500; at += 1) nearSocket.send(new Uint8Array(1_200), farSocket.address);
      mostQueued = Math.max(mostQueued, nearSocket.counts().queued);
      await new Promise(setImmediate);
    }
    clearInterval(timer);
    delay.disable();
    expect(delay.percentile(99) / 1e6, "ms until the loop comes round").to.be.below(20);
    expect(mostQueued * 1_200).to.be.at.most(262_144);
    expect(mostQueued).to.be.at.most(64);
    expect(fired).to.be.above(5);
  });
});

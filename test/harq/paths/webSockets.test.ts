/** A link over WebSockets of `ws` on loopback, alone, several at once, and beside UDP. */
import { expect } from "chai";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import type { WebSocket } from "ws";
import type { LinkPath } from "@ngpu/protocol/harq/link/linkPath";
import { openUdpSocket } from "@ngpu/protocol/service/harq/udpSocket";
import { createWebSocketPath } from "@ngpu/protocol/harq/link/webSocketPath";
import { collectGarbage } from "../support/keptMemory.ts";
import { arrivalOf, collect, createLinkPair, until, type LinkPair } from "../support/links.ts";
import { createSocketPairs, type SocketPair, type SocketPairs } from "../support/webSockets.ts";

describe("a link over WebSockets", { timeout: 180_000 }, () => {
  let pairs: SocketPairs;
  before(async () => {
    pairs = await createSocketPairs();
  });
  after(() => pairs.close());

  const connect = async (
    { near, far }: LinkPair,
    { id = 0, wrap = (path: LinkPath): LinkPath => path } = {},
  ): Promise<SocketPair> => {
    const sockets = await pairs.connect();
    far.openPath({ id, path: wrap(createWebSocketPath(sockets.far)), rttUs: 2_000 });
    near.openPath({ id, path: wrap(createWebSocketPath(sockets.near)), rttUs: 2_000 });
    return sockets;
  };
  const end = async ({ near, far }: LinkPair): Promise<void> => {
    await Promise.all([near.close(), far.closed]);
  };
  /** Sockets of links, cut at one end once all were open; none is held here afterwards. */
  const terminated = async (links: readonly LinkPair[]): Promise<WeakRef<WebSocket>[]> => {
    const sockets = await Promise.all(links.map((pair) => connect(pair)));
    for (const { near } of sockets) near.terminate();
    return sockets.flatMap(({ near, far }) => [new WeakRef(near), new WeakRef(far)]);
  };
  /** Begins a message and goes on when some of it was read. */
  const underWay = async ({ near }: LinkPair, bytes: Uint8Array, readBytes: number) => {
    let read = 0;
    const sent = near.send(bytes, { onProgress: (count) => (read = count) });
    await until(() => read > readBytes, "the message is under way");
    return { sent };
  };

  it("delivers a byte, a megabyte and twenty once, whole, over one", async () => {
    const pair = createLinkPair();
    const arrivals = collect(pair.far);
    await connect(pair);
    const messages = [1, 1_000_000, 20_000_000].map((length) => randomBytes(length));
    for (const bytes of messages) expect(await pair.near.send(bytes)).to.equal("good");
    await until(() => arrivals.length === messages.length, "all are delivered");
    expect(arrivals).to.deep.equal(messages.map(arrivalOf));
    expect(pair.near.metrics().repairBytes, "a healthy stream needs no parity").to.equal(0);
    await end(pair);
  });

  it("never lets more than 64 KB and one message wait in a socket", async () => {
    const pair = createLinkPair();
    collect(pair.far);
    const { near } = await connect(pair);
    let mostBuffered = 0;
    const look = setInterval(() => (mostBuffered = Math.max(mostBuffered, near.bufferedAmount)), 1);
    const original = near.send.bind(near) as (data: Uint8Array) => void;
    near.send = (data: unknown) => {
      original(data as Uint8Array);
      mostBuffered = Math.max(mostBuffered, near.bufferedAmount);
    };
    expect(await pair.near.send(randomBytes(10_000_000))).to.equal("good");
    clearInterval(look);
    expect(mostBuffered).to.be.at.most(65_536 + 16_384);
    await end(pair);
  });

  it("delivers one message over four of which one dies in the middle", async () => {
    const pair = createLinkPair();
    const arrivals = collect(pair.far);
    const sockets = await Promise.all([0, 1, 2, 3].map((id) => connect(pair, { id })));
    const bytes = randomBytes(20_000_000);
    const { sent } = await underWay(pair, bytes, 4_000_000);
    sockets[2]!.near.terminate();
    expect(await sent).to.equal("good");
    await until(() => arrivals.length === 1, "it is delivered");
    expect(arrivals).to.deep.equal([arrivalOf(bytes)]);
    expect(pair.near.metrics().paths.map(({ id }) => id)).to.deep.equal([0, 1, 3]);
    await end(pair);
  });

  it("carries on with what UDP carried when that falls silent", async () => {
    const sockets = await Promise.all([openUdpSocket(), openUdpSocket()]);
    const pair = createLinkPair();
    const { near, far, ids } = pair;
    const arrivals = collect(far);
    await connect(pair);
    const hole = createHole();
    const there = sockets[0].createPath({ connectionId: ids.near, remote: sockets[1].address });
    far.acceptPath({ id: 1, path: hole.wrap(sockets[1].createPath({ connectionId: ids.far })) });
    near.openPath({ id: 1, path: hole.wrap(there), rttUs: 2_000 });
    await until(() => near.metrics().paths.some(({ id, isValidated }) => id === 1 && isValidated), "UDP works");
    const bytes = randomBytes(20_000_000);
    const { sent } = await underWay(pair, bytes, 1_000_000);
    await until(() => near.metrics().paths.some(({ id, sentBytes }) => id === 1 && sentBytes > 1_000_000), "UDP carries it");
    hole.swallow();
    expect(await sent).to.equal("good");
    await until(() => arrivals.length === 1, "it is delivered");
    expect(arrivals).to.deep.equal([arrivalOf(bytes)]);
    await end(pair);
    await Promise.all(sockets.map((socket) => socket.close()));
  });

  it("leaves a socket that is half open for another one, and delivers once", async () => {
    const pair = createLinkPair();
    const arrivals = collect(pair.far);
    const hole = createHole();
    await connect(pair, { id: 0, wrap: hole.wrap });
    await connect(pair, { id: 2 });
    const bytes = randomBytes(10_000_000);
    const { sent } = await underWay(pair, bytes, 2_000_000);
    hole.swallow();
    expect(await sent).to.equal("good");
    await until(() => arrivals.length === 1, "it is delivered");
    expect(arrivals).to.deep.equal([arrivalOf(bytes)]);
    await end(pair);
  });

  it("takes no socket that compresses", async () => {
    const compressing = await createSocketPairs({ perMessageDeflate: true });
    const { near } = await compressing.connect();
    expect(near.extensions).to.contain("permessage-deflate");
    expect(() => createWebSocketPath(near)).to.throw("permessage-deflate");
    compressing.close();
  });

  it("leaves no socket behind where two hundred peers go at once", async () => {
    const pairsOfLinks = Array.from({ length: 200 }, () => createLinkPair());
    const sockets = await terminated(pairsOfLinks);
    const isLeft = ({ near, far }: LinkPair): boolean => near.metrics().paths.length + far.metrics().paths.length === 0;
    await until(() => pairsOfLinks.every(isLeft), "all paths are gone");
    const isKept = (socket: WeakRef<WebSocket>): boolean => socket.deref() !== undefined;
    await until(() => {
      collectGarbage();
      return !sockets.some(isKept);
    }, "no socket is left after a collection, though the links live on");
    await Promise.all(pairsOfLinks.flatMap(({ near, far }) => [near.close(), far.close()]));
  });
});

/** Paths through it carry nothing any more, in either direction, once it swallows. */
function createHole() {
  let isOpen = true;
  return {
    swallow(): void {
      isOpen = false;
    },
    wrap: (path: LinkPath): LinkPath => ({
      ...path,
      start: (events) =>
        path.start({ ...events, datagram: (bytes, adopt) => void (isOpen && events.datagram(bytes, adopt)) }),
      send: (bytes) => void (isOpen && path.send(bytes)),
    }),
  };
}

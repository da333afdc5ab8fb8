/** Further WebSockets of a link that is open: who may join, and what a link does when all its sockets are gone. */
import { expect } from "chai";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { createWebSocketPath } from "@ngpu/protocol/harq/link/webSocketPath";
import type { LinkPath } from "@ngpu/protocol/harq/link/linkPath";
import { keepStreams } from "@ngpu/protocol/harq/link/keepStreams";
import { createSocketInbox } from "@ngpu/protocol/harq/link/socketInbox";
import { nodeLinkClock } from "@ngpu/protocol/service/harq/nodeLinkClock";
import { arrivalOf, collect, createLinkPair, until, type LinkPair } from "../support/links.ts";
import { createSocketPairs, type SocketPair, type SocketPairs } from "../support/webSockets.ts";

const second = AbortSignal.timeout(60_000);

describe("a WebSocket that joins a link", { timeout: 120_000 }, () => {
  let pairs: SocketPairs;
  before(async () => {
    pairs = await createSocketPairs();
  });
  after(() => pairs.close());

  const begin = async ({ near, far }: LinkPair): Promise<SocketPair> => {
    const sockets = await pairs.connect();
    far.openPath({ id: 0, path: createWebSocketPath(sockets.far), rttUs: 2_000 });
    near.openPath({ id: 0, path: createWebSocketPath(sockets.near), rttUs: 2_000 });
    return sockets;
  };
  /** As a gateway does: by the first message, which `far` may refuse. */
  const join = async ({ near, far }: LinkPair, id: number): Promise<SocketPair> => {
    const sockets = await pairs.connect();
    const inbox = createSocketInbox(sockets.far);
    near.openPath({ id, path: createWebSocketPath(sockets.near), rttUs: 2_000, joins: true });
    far.joinPath({ id, path: createWebSocketPath(inbox.socket), first: await inbox.next(second) });
    inbox.handOver();
    return sockets;
  };
  const end = async ({ near, far }: LinkPair): Promise<void> => {
    await Promise.all([near.close(), far.closed]);
  };
  const isValidated = ({ near, far }: LinkPair, id: number): boolean =>
    [near, far].every((link) => link.metrics().paths.some((path) => path.id === id && path.isValidated));

  it("carries messages once it has proved itself to both ends", async () => {
    const pair = createLinkPair();
    const arrivals = collect(pair.far);
    const first = await begin(pair);
    await join(pair, 2);
    await until(() => isValidated(pair, 2), "both have proved themselves");
    first.near.terminate();
    const bytes = randomBytes(500_000);
    expect(await pair.near.send(bytes)).to.equal("good");
    expect(arrivals).to.deep.equal([arrivalOf(bytes)]);
    await end(pair);
  });

  it("is let go at once, with nothing kept of it, unless its first datagram is this link's and its id is free", async () => {
    const pair = createLinkPair();
    const other = createLinkPair();
    await begin(pair);
    const forged = randomBytes(1_200);
    const first = await firstOf(other, 2);
    const replayed = await firstOf(pair, 2);
    pair.far.joinPath({ id: 2, path: aPath().path, first: replayed });
    const attempts = [
      { id: 3, first: forged },
      { id: 2, first },
      { id: 2, first: replayed },
      { id: 0, first: replayed },
      { id: 3, first: replayed },
    ];
    for (const attempt of attempts) {
      const { path, isStopped } = aPath();
      pair.far.joinPath({ ...attempt, path });
      expect(isStopped()).to.equal(true);
    }
    expect(pair.far.metrics().paths.map(({ id }) => id)).to.deep.equal([0, 2]);
    pair.far.closePath(2);
    const { path, isStopped } = aPath();
    pair.far.joinPath({ id: 2, path, first: replayed });
    expect(isStopped(), "what was taken once is not taken again").to.equal(true);
    await end(pair);
    await other.near.close();
  });

  it("is one of sixteen at most", async () => {
    const pair = createLinkPair();
    await begin(pair);
    for (let id = 2; id < 30; id += 1) pair.far.joinPath({ id, path: aPath().path, first: await firstOf(pair, id) });
    expect(pair.far.metrics().paths.length).to.equal(16);
    await end(pair);
  });

  it("is waited for by what is under way when every socket is gone, in both directions", async () => {
    const pair = createLinkPair();
    const [there, back] = [collect(pair.far), collect(pair.near)];
    const first = await begin(pair);
    const bytes = randomBytes(10_000_000);
    const sent = [pair.near.send(bytes), pair.far.send(bytes)];
    await until(() => pair.far.metrics().receivedBytes > 2_000_000, "much of it has arrived");
    first.near.terminate();
    first.far.terminate();
    await until(() => pair.near.metrics().paths.length + pair.far.metrics().paths.length === 0, "all paths are gone");
    await join(pair, 2);
    expect(await Promise.all(sent)).to.deep.equal(["good", "good"]);
    expect([there, back]).to.deep.equal([[arrivalOf(bytes)], [arrivalOf(bytes)]]);
    for (const link of [pair.near, pair.far]) {
      const { sourceBytes, repairBytes } = link.metrics();
      expect(sourceBytes + repairBytes).to.be.below(1.15 * bytes.length);
    }
    await end(pair);
  });

  it("is dialled again ever less often where it is refused", async () => {
    const pair = createLinkPair();
    const first = await begin(pair);
    const refusing = await createSocketPairs();
    refusing.accept((socket) => socket.close());
    let dialled = 0;
    keepStreams({
      ...{ link: pair.near, clock: nodeLinkClock, rttUs: 2_000, first: first.near as never },
      dial: () => {
        dialled += 1;
        return refusing.dial() as never;
      },
    });
    first.near.terminate();
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(dialled).to.be.within(2, 4);
    await Promise.all([pair.near.close(), pair.far.close()]);
    refusing.close();
  });

  it("is opened by the dialler beside seven others where a large message stalls, and not before", async () => {
    const pair = createLinkPair();
    const arrivals = collect(pair.far);
    const sockets = await pairs.connect();
    const slow = stalling(createWebSocketPath(sockets.near), 400);
    pair.far.openPath({ id: 0, path: createWebSocketPath(sockets.far), rttUs: 2_000 });
    pair.near.openPath({ id: 0, path: slow.path, rttUs: 2_000 });
    const joined = await createSocketPairs();
    joined.accept((socket) => void takeIn(pair, socket));
    let dialled = 0;
    keepStreams({
      ...{ link: pair.near, clock: nodeLinkClock, rttUs: 2_000, first: sockets.near as never },
      dial: () => {
        dialled += 1;
        return joined.dial() as never;
      },
    });
    expect(await pair.near.send(randomBytes(2_000_000))).to.equal("good");
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await pair.near.send(randomBytes(5_000))).to.equal("good");
    expect(dialled, "nothing stalled").to.equal(0);
    slow.begin();
    const bytes = randomBytes(8_000_000);
    expect(await pair.near.send(bytes)).to.equal("good");
    expect(dialled).to.equal(7);
    expect(arrivals.at(-1)).to.deep.equal(arrivalOf(bytes));
    await end(pair);
    joined.close();
  });
});

async function takeIn({ far }: LinkPair, socket: SocketPair["far"]): Promise<void> {
  const inbox = createSocketInbox(socket);
  const first = await inbox.next(second);
  far.joinPath({ id: first[15]!, path: createWebSocketPath(inbox.socket), first });
  inbox.handOver();
}

/** What a link says first over a path that joins, and to nobody. */
async function firstOf({ near }: LinkPair, id: number): Promise<Uint8Array> {
  const { promise, resolve } = Promise.withResolvers<Uint8Array>();
  near.openPath({ id, path: { ...aPath().path, send: resolve }, joins: true });
  const first = await promise;
  near.closePath(id);
  return first;
}

function aPath(): { path: LinkPath; isStopped: () => boolean } {
  let isStopped = false;
  const path: LinkPath = {
    kind: "stream",
    start: () => undefined,
    roomBytes: () => 65_536,
    send: () => undefined,
    stop: () => void (isStopped = true),
  };
  return { path, isStopped: () => isStopped };
}

/** From `begin` on a datagram goes out every `everyMs`, as over a TCP that waits for what was lost. */
function stalling(path: LinkPath, everyMs: number): { path: LinkPath; begin: () => void } {
  const waiting: Uint8Array[] = [];
  let isSlow = false;
  const begin = (): void => {
    isSlow = true;
    setInterval(() => {
      for (const bytes of waiting.splice(0, 4)) path.send(bytes);
    }, everyMs).unref();
  };
  return {
    path: {
      ...path,
      roomBytes: () => (isSlow ? Math.max(0, 65_536 - waiting.reduce((sum, { length }) => sum + length, 0)) : path.roomBytes()),
      send: (bytes) => void (isSlow ? waiting.push(bytes) : path.send(bytes)),
    },
    begin,
  };
}

/** Links in a thread of their own: the same face, the same outcomes. */
import { expect } from "chai";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { WebSocketServer, type WebSocket } from "ws";
import { createHarqLink, type HarqLink } from "@ngpu/protocol/harq/link/harqLink";
import { protectionOf, type LinkKeys } from "@ngpu/protocol/service/harq/linkKeys";
import { nodeLinkPorts } from "@ngpu/protocol/service/harq/nodeLinkPorts";
import { openUdpSocket, type UdpSocket } from "@ngpu/protocol/service/harq/udpSocket";
import { createWebSocketPath, webSocketOptions } from "@ngpu/protocol/harq/link/webSocketPath";
import { startDataPath, type DataPath, type WorkerUdpSocket } from "@ngpu/protocol/service/harq/worker/dataPath";
import type { WorkerLink } from "@ngpu/protocol/service/harq/worker/workerLink";
import { arrivalOf, collect, until, type Arrival } from "../support/links.ts";
import { createSocketPairs } from "../support/webSockets.ts";

interface Pair {
  readonly inside: WorkerLink;
  readonly here: HarqLink;
  readonly arrivals: Arrival[];
  readonly keys: LinkKeys;
}

describe("a link in a thread of its own", { timeout: 180_000 }, () => {
  let dataPath: DataPath;
  let udp: WorkerUdpSocket;
  let socket: UdpSocket;
  before(async () => {
    dataPath = startDataPath();
    udp = await dataPath.openUdpSocket({ asksForTokens: true });
    socket = await openUdpSocket();
  });
  after(async () => {
    await udp.close();
    await Promise.all([dataPath.close(), socket.close()]);
  });

  const createPair = (): Pair => {
    const keys = { send: aSecret(), receive: aSecret() };
    const here = createHarqLink({
      ...nodeLinkPorts(),
      protection: protectionOf({ send: keys.receive, receive: keys.send }),
    });
    return { inside: dataPath.createLink({ keys }), here, arrivals: collect(here), keys };
  };
  const overUdp = ({ inside, here, keys }: Pair): void => {
    here.acceptPath({ id: 1, path: socket.createPath({ connectionId: keys.send.connectionId }) });
    const connectionId = keys.receive.connectionId;
    inside.openPath({ id: 1, path: udp.createPath({ connectionId, remote: socket.address }), rttUs: 2_000 });
  };
  const end = async ({ inside, here }: Pair): Promise<void> => {
    await Promise.all([inside.close(), here.closed]);
  };

  it("delivers a byte, a megabyte and twenty once, whole, there and back over UDP", async () => {
    const pair = createPair();
    overUdp(pair);
    const back = collect(pair.inside);
    const messages = [1, 1_000_000, 20_000_000].map((length) => randomBytes(length));
    for (const bytes of messages) expect(await pair.inside.send(bytes)).to.equal("good");
    for (const bytes of messages) expect(await pair.here.send(bytes)).to.equal("good");
    await until(() => pair.arrivals.length + back.length === 2 * messages.length, "all are delivered");
    expect(pair.arrivals).to.deep.equal(messages.map(arrivalOf));
    expect(back).to.deep.equal(messages.map(arrivalOf));
    await until(() => pair.inside.metrics().paths[0]?.isValidated === true, "what it measures is told here");
    expect(pair.inside.rememberPath(1)?.congestion.bytesPerSecond).to.be.above(0);
    await end(pair);
  });

  it("asks a peer that it has not heard for a token, and goes on once it shows that", async () => {
    const pair = createPair();
    const { inside, here, keys } = pair;
    const { connectionId } = keys.receive;
    inside.acceptPath({ id: 1, path: udp.createPath({ connectionId, peerId: keys.send.connectionId }) });
    const back = socket.createPath({ connectionId: keys.send.connectionId, remote: udp.address });
    here.openPath({ id: 1, path: back, rttUs: 2_000 });
    const bytes = randomBytes(300_000);
    expect(await inside.send(bytes)).to.equal("good");
    expect(pair.arrivals).to.deep.equal([arrivalOf(bytes)]);
    await end(pair);
  });

  it("carries a message over a WebSocket that was dialled there", async () => {
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0, ...webSocketOptions });
    await once(server, "listening");
    const pair = createPair();
    server.on("connection", (accepted: WebSocket) => {
      pair.here.openPath({ id: 0, path: createWebSocketPath(accepted) });
    });
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
    pair.inside.openPath({ id: 0, path: dataPath.createWebSocketPath(url) });
    const bytes = randomBytes(3_000_000);
    expect(await pair.inside.send(bytes)).to.equal("good");
    expect(pair.arrivals).to.deep.equal([arrivalOf(bytes)]);
    await end(pair);
    for (const client of server.clients) client.terminate();
    server.close();
  });

  it("carries a message over a WebSocket of this thread", async () => {
    const pairs = await createSocketPairs();
    const pair = createPair();
    const sockets = await pairs.connect();
    pair.here.openPath({ id: 0, path: createWebSocketPath(sockets.far) });
    pair.inside.openPath({ id: 0, path: createWebSocketPath(sockets.near) });
    const bytes = randomBytes(3_000_000);
    expect(await pair.inside.send(bytes)).to.equal("good");
    expect(pair.arrivals).to.deep.equal([arrivalOf(bytes)]);
    await end(pair);
    pairs.close();
  });

  it("ends a message at its signal, and tells those who wait when the peer closes", async () => {
    const pair = createPair();
    overUdp(pair);
    const abort = new AbortController();
    const sent = pair.inside.send(randomBytes(16_000_000), { signal: abort.signal, onProgress: () => abort.abort() });
    expect(await sent).to.equal("cancelled");
    const { promise: never, resolve: allow } = Promise.withResolvers<void>();
    pair.here.onPiece(() => never);
    const waiting = pair.inside.send(randomBytes(40_000_000));
    await until(() => pair.here.metrics().heldBytes > 1_000_000, "the message is under way");
    await pair.here.close(7, "enough");
    expect(await waiting).to.equal("closed");
    expect(await pair.inside.closed).to.deep.equal({ code: 7, text: "enough", byPeer: true });
    allow();
  });

  it("holds no more than a window of what this thread does not consume", async () => {
    const pair = createPair();
    overUdp(pair);
    const { promise: goOn, resolve: allow } = Promise.withResolvers<void>();
    let heldBytes = 0;
    let delivered = 0;
    pair.inside.onPiece(async (piece) => {
      heldBytes += piece.type === "piece" ? piece.bytes.length : 0;
      await goOn;
    });
    pair.inside.onMessage(() => void (delivered += 1));
    const sent = pair.here.send(randomBytes(40_000_000));
    await until(() => pair.here.metrics().sourceBytes > 15_000_000, "a window was sent");
    for (let at = 0; at < 20; at += 1) {
      expect(heldBytes).to.be.at.most(17_000_000);
      expect(pair.here.metrics().sourceBytes).to.be.at.most(20_000_000);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    allow();
    expect(await sent).to.equal("good");
    await until(() => delivered === 1, "it is delivered");
    await end(pair);
  });

  it("closes its links when the thread ends", async () => {
    const other = startDataPath();
    const link = other.createLink({ keys: { send: aSecret(), receive: aSecret() } });
    const sent = link.send(randomBytes(100));
    await other.close();
    expect(await sent).to.equal("closed");
    expect((await link.closed).byPeer).to.equal(false);
    await link.close();
  });
});

function aSecret() {
  return { secret: new Uint8Array(randomBytes(32)), connectionId: randomBytes(8).readBigUInt64BE() };
}

/** The relay's pairs of WebSockets: who gets in, what passes, what it holds, and when it ends. */
import { createRelayDesk, type RelayDesk, type RelayLimits } from "@ngpu/keeper/gateway/direct/relayDesk";
import { systemClock } from "@ngpu/protocol/service/clock";
import { expect } from "chai";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, describe, it } from "node:test";
import { hexToBytes, toHex, type Hex } from "viem";
import { WebSocket, WebSocketServer } from "ws";
import { codeThrownBy } from "../../harness/codeThrownBy.ts";
import { testLog } from "../../harness/services.ts";
import { until } from "../../harness/until.ts";

const taskId = toHex(1, { size: 32 });
const pair = { taskId, nodeId: 7 };
const datagram = (value: number, bytes = 100): Buffer => Buffer.alloc(bytes, value);

describe("relay", () => {
  const cleanups: (() => void)[] = [];
  afterEach(() => {
    for (const cleanup of cleanups.splice(0).reverse()) cleanup();
  });

  async function aRelay(limits: Partial<RelayLimits> = {}) {
    const world = { nowMs: 0 };
    const clock = { ...systemClock, monotonicMs: () => world.nowMs };
    const desk: RelayDesk = createRelayDesk({ clock, random: (length) => randomBytes(length), log: testLog, limits });
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
    await once(server, "listening");
    server.on("connection", (socket) => desk.accept(socket));
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const open = async (first: Hex | string) => {
      const socket = new WebSocket(url, { perMessageDeflate: false });
      cleanups.push(() => socket.terminate());
      const heard: Buffer[] = [];
      socket.on("message", (data: Buffer) => heard.push(data));
      const closed = once(socket, "close").then(([code]) => code as number);
      await once(socket, "open");
      socket.send(first.startsWith("0x") ? hexToBytes(first as Hex) : first);
      return { socket, heard, closed };
    };
    cleanups.push(() => {
      desk.close();
      for (const socket of server.clients) socket.terminate();
      server.close();
    });
    return { desk, open, world };
  }

  it("passes on what either side says, in order and unchanged, also what was said before the other came", async () => {
    const { desk, open } = await aRelay();
    const tickets = desk.issue(pair);
    const client = await open(tickets.client);
    for (const value of [1, 2]) client.socket.send(datagram(value));
    const node = await open(tickets.node);
    node.socket.send(datagram(3, 16_384));
    await until("both heard", () => node.heard.length === 2 && client.heard.length === 1);
    expect(node.heard).to.deep.equal([datagram(1), datagram(2)]);
    expect(client.heard).to.deep.equal([datagram(3, 16_384)]);
    expect(desk.counts()).to.deep.equal({ pairs: 1, relayedBytes: 16_584 });
  });

  it("closes on whoever shows no ticket, one of nobody, or one that was shown before", async () => {
    const { desk, open } = await aRelay();
    const tickets = desk.issue(pair);
    await open(tickets.client);
    for (const first of [toHex(1, { size: 32 }), toHex(1, { size: 31 }), "text", tickets.client]) {
      expect(await (await open(first)).closed).to.equal(4400);
    }
    expect(desk.counts().pairs).to.equal(1);
  });

  it("ends a pair with either side, and with what is no datagram", async () => {
    const { desk, open } = await aRelay();
    for (const end of [(socket: WebSocket) => socket.close(), (socket: WebSocket) => socket.send("text")]) {
      const tickets = desk.issue(pair);
      const [client, node] = [await open(tickets.client), await open(tickets.node)];
      end(client.socket);
      await node.closed;
      expect(desk.counts().pairs).to.equal(0);
      expect(await (await open(tickets.client)).closed).to.equal(4400);
    }
  });

  it("stops reading one side while the other does not read, holds next to nothing, and loses nothing", async () => {
    const { desk, open } = await aRelay();
    const tickets = desk.issue(pair);
    const [client, node] = [await open(tickets.client), await open(tickets.node)];
    client.socket.send(datagram(0));
    await until("the pair is there", () => node.heard.length === 1);
    node.socket.pause();
    const count = 4_000;
    for (let value = 1; value <= count; value += 1) client.socket.send(datagram(value & 0xff, 16_384));
    let before = -1;
    await until("nothing is passed on any more", () => {
      const { relayedBytes } = desk.counts();
      const isSame = relayedBytes === before;
      before = relayedBytes;
      return isSame;
    }, 200);
    // The rest of what is on its way is in the kernel's buffers, at both ends.
    expect(desk.counts().relayedBytes).to.be.lessThan((count * 16_384) / 2);
    node.socket.resume();
    await until("all of it is there", () => node.heard.length === count + 1);
    expect(node.heard.map(([value]) => value)).to.deep.equal(Array.from({ length: count + 1 }, (_, at) => at & 0xff));
  });

  it("ends a pair that has had its bytes, and one whose second side does not come", async () => {
    const { desk, open, world } = await aRelay({ mostPairBytes: 1_000 });
    const tickets = desk.issue(pair);
    const [client, node] = [await open(tickets.client), await open(tickets.node)];
    for (let value = 0; value < 11; value += 1) client.socket.send(datagram(value));
    expect(await node.closed).to.equal(4413);
    expect(node.heard.length).to.equal(10);
    const alone = await open(desk.issue(pair).client);
    world.nowMs = 16_000;
    desk.tend();
    await alone.closed;
    expect(desk.counts().pairs).to.equal(0);
  });

  it("ends a task's pairs a while after the task, and no others", async () => {
    const { desk, open, world } = await aRelay({ afterTaskMs: 5_000 });
    const [ended, other] = [desk.issue(pair), desk.issue({ ...pair, taskId: toHex(2, { size: 32 }) })];
    const sides = await Promise.all([ended.client, ended.node, other.client, other.node].map(open));
    sides[0]!.socket.send(datagram(1));
    sides[2]!.socket.send(datagram(2));
    await until("both pairs are there", () => sides[1]!.heard.length === 1 && sides[3]!.heard.length === 1);
    desk.taskEnded(taskId);
    world.nowMs = 4_900;
    desk.tend();
    expect(desk.counts().pairs).to.equal(2);
    world.nowMs = 5_100;
    desk.tend();
    expect(await Promise.all([sides[0]!.closed, sides[1]!.closed])).to.deep.equal([1000, 1000]);
    expect([desk.counts().pairs, sides[2]!.socket.readyState]).to.deep.equal([1, WebSocket.OPEN]);
  });

  it("is busy when a node, or all together, have too many pairs", async () => {
    const { desk } = await aRelay({ mostPairs: 3, mostPairsOfNode: 2 });
    const other = { ...pair, nodeId: 8 };
    desk.issue(pair);
    desk.issue(pair);
    expect(codeThrownBy(() => desk.issue(pair))).to.equal("NODE_BUSY");
    desk.issue(other);
    expect(codeThrownBy(() => desk.issue(other))).to.equal("NODE_BUSY");
  });
});

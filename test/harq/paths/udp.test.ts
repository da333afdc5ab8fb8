/** A link over real UDP sockets on loopback: loss, a peer that moves, garbage, and what the system refuses. */
import { expect } from "chai";
import { after, before, describe, it } from "node:test";
import { randomBytes } from "node:crypto";
import { openUdpSocket, type UdpSocket } from "@ngpu/protocol/service/harq/udpSocket";
import { arrivalOf, collect, createLinkPair, dropping, until, type LinkPair } from "../support/links.ts";
import { createRandom } from "../support/random.ts";

describe("a link over UDP", { timeout: 120_000 }, () => {
  let nearSocket: UdpSocket;
  let farSocket: UdpSocket;
  before(async () => {
    nearSocket = await openUdpSocket();
    farSocket = await openUdpSocket();
  });
  after(() => Promise.all([nearSocket.close(), farSocket.close()]));

  const connect = ({ near, far, ids }: LinkPair, { loss = 0, seed = 1 } = {}): void => {
    const random = createRandom(seed);
    const there = nearSocket.createPath({ connectionId: ids.near, remote: farSocket.address });
    const back = farSocket.createPath({ connectionId: ids.far });
    far.acceptPath({ id: 1, path: dropping(back, random, loss) });
    near.openPath({ id: 1, path: dropping(there, random, loss), rttUs: 2_000 });
  };

  it("delivers a byte, a megabyte and twenty once, whole, where a tenth of all datagrams is lost", async () => {
    const pair = createLinkPair();
    const arrivals = collect(pair.far);
    connect(pair, { loss: 0.1, seed: 11 });
    const messages = [1, 1_000_000, 20_000_000].map((length) => randomBytes(length));
    for (const bytes of messages) expect(await pair.near.send(bytes)).to.equal("good");
    await until(() => arrivals.length === messages.length, "all are delivered");
    expect(arrivals).to.deep.equal(messages.map(arrivalOf));
    await Promise.all([pair.near.close(), pair.far.closed]);
  });
});

/** A product that does not consume: what is held for it stays within the credit, and all of it comes once it does. */
import { expect } from "chai";
import { createHash, randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { messageLimits } from "@ngpu/protocol/harq/message/messageLimits";
import { openUdpSocket } from "@ngpu/protocol/service/harq/udpSocket";
import { createLinkPair, until } from "../support/links.ts";

const pattern = randomBytes(1_000_000);

describe("a reader that does not consume", { timeout: 180_000 }, () => {
  it("holds one window of a large message, and gets the rest of it when it goes on", async () => {
    const sockets = await Promise.all([openUdpSocket(), openUdpSocket()]);
    const { near, far, ids } = createLinkPair();
    far.acceptPath({ id: 1, path: sockets[1].createPath({ connectionId: ids.far }) });
    near.openPath({ id: 1, path: sockets[0].createPath({ connectionId: ids.near, remote: sockets[1].address }) });
    const { promise: goOn, resolve: allow } = Promise.withResolvers<void>();
    const hash = createHash("sha256");
    let delivered = 0;
    far.onPiece(async (piece) => {
      await goOn;
      if (piece.type === "piece") hash.update(piece.bytes);
    });
    far.onMessage(() => void (delivered += 1));
    const length = 40 * pattern.length;
    const expected = createHash("sha256");
    for (let at = 0; at < 40; at += 1) expected.update(pattern);
    const sent = near.send({ length, read: repeated });
    await until(() => far.metrics().heldBytes > 0.9 * messageLimits.windowBytes, "a window is held");
    const sentBytes = near.metrics().sourceBytes;
    for (let at = 0; at < 20; at += 1) {
      expect(far.metrics().heldBytes).to.be.at.most(1.1 * messageLimits.windowBytes);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(sentBytes).to.be.at.most(1.2 * messageLimits.windowBytes);
    allow();
    expect(await sent).to.equal("good");
    await until(() => delivered === 1, "it is delivered");
    expect(hash.digest("hex")).to.equal(expected.digest("hex"));
    await Promise.all([near.close(), far.closed]);
    await Promise.all(sockets.map((socket) => socket.close()));
  });

  it("holds no more messages than it gave credit for, and gets every one once", async () => {
    const sockets = await Promise.all([openUdpSocket(), openUdpSocket()]);
    const { near, far, ids } = createLinkPair();
    far.acceptPath({ id: 1, path: sockets[1].createPath({ connectionId: ids.far }) });
    near.openPath({ id: 1, path: sockets[0].createPath({ connectionId: ids.near, remote: sockets[1].address }) });
    const { promise: goOn, resolve: allow } = Promise.withResolvers<void>();
    const delivered: number[] = [];
    far.onMessage(async ({ id }) => {
      delivered.push(id);
      await goOn;
    });
    const each = 10_000_000;
    const sends = Array.from({ length: 9 }, () => near.send({ length: each, read: repeated }));
    await until(() => delivered.length === Math.floor(messageLimits.initialCreditBytes / each), "the credit is used");
    for (let at = 0; at < 20; at += 1) {
      expect(far.metrics().heldBytes).to.be.at.most(messageLimits.initialCreditBytes);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    allow();
    expect(new Set(await Promise.all(sends))).to.deep.equal(new Set(["good"]));
    await until(() => delivered.length === 9, "all are delivered");
    expect(new Set(delivered).size).to.equal(9);
    await Promise.all([near.close(), far.closed]);
    await Promise.all(sockets.map((socket) => socket.close()));
  });
});

function repeated(offset: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; ) {
    const from = (offset + at) % pattern.length;
    const part = pattern.subarray(from, from + length - at);
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Where a session's large requests and answers wait: who may leave and fetch them, how many, and for how long. */
import { beforeEach, describe, it } from "node:test";
import { createBodyShelf, type BodyShelf } from "@ngpu/keeper/gateway/bodyShelf";
import { createSessionBodies, type SessionBodies } from "@ngpu/keeper/gateway/sessionBodies";
import { gatewayLimits } from "@ngpu/protocol/limits";
import { systemClock } from "@ngpu/protocol/service/clock";
import { expect } from "chai";
import { keccak256, toHex, type Address, type Hex } from "viem";
import { codeRejectedBy } from "../harness/codeRejectedBy.ts";
import { codeThrownBy } from "../harness/codeThrownBy.ts";

const sessionId = keccak256("0x01");
const otherSession = keccak256("0x02");
const [signer, formerSigner, operator, laneless, stranger] = [1, 2, 3, 4, 5].map((index) => toHex(index, { size: 20 })) as [
  Address,
  Address,
  Address,
  Address,
  Address,
];

let nowMs: number;
const clock = { ...systemClock, monotonicMs: () => nowMs };
const bytesOf = (fill: number, length = 100): Uint8Array => new Uint8Array(length).fill(fill);

async function* inChunks(...chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

beforeEach(() => (nowMs = 0));

describe("shelf of bodies", () => {
  let shelf: BodyShelf;
  beforeEach(() => {
    shelf = createBodyShelf({ clock, limits: { totalBytes: 500, senderBytes: 250, keepMs: 1_000 } });
  });
  const put = (bytes: Uint8Array, change: { by?: string; sessionId?: Hex; hash?: Hex } = {}) =>
    shelf.put({ sessionId, hash: keccak256(bytes), by: "client", body: inChunks(bytes.slice(0, 60), bytes.slice(60)), ...change });

  it("keeps whole bodies under their hash, each in its own session, once", async () => {
    const bytes = bytesOf(1);
    expect([await put(bytes), await put(bytes)]).to.deep.equal(["stored", "present"]);
    expect(shelf.get(sessionId, keccak256(bytes))).to.deep.equal(bytes);
    expect(codeThrownBy(() => shelf.get(otherSession, keccak256(bytes)))).to.equal("BLOB_UNKNOWN");
    expect(shelf.usedBytes()).to.equal(100);
  });

  it("keeps nothing of what is not what its hash names, is too large, or breaks off", async () => {
    expect(await codeRejectedBy(put(bytesOf(1), { hash: sessionId }))).to.equal("BLOB_MISMATCH");
    const roomy = createBodyShelf({ clock });
    const half = new Uint8Array(gatewayLimits.maxBlobBytes / 2 + 1);
    const large = roomy.put({ sessionId, hash: sessionId, by: "client", body: inChunks(half, half) });
    expect(await codeRejectedBy(large)).to.equal("BLOB_TOO_LARGE");
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield bytesOf(1);
      throw new Error("the line broke");
    }
    const breaking = shelf.put({ sessionId, hash: sessionId, by: "client", body: broken() });
    expect(await breaking.catch((error: Error) => error.message)).to.equal("the line broke");
    expect([shelf.usedBytes(), roomy.usedBytes()]).to.deep.equal([0, 0]);
  });

  it("lets no sender take the room of others, and none take more than there is", async () => {
    await put(bytesOf(1));
    await put(bytesOf(2));
    expect(await codeRejectedBy(put(bytesOf(3))), "its share, in all sessions").to.equal("STORE_FULL");
    expect(await codeRejectedBy(put(bytesOf(3), { sessionId: otherSession }))).to.equal("STORE_FULL");
    expect(await put(bytesOf(3), { by: "7" })).to.equal("stored");
    await put(bytesOf(4), { by: "7" });
    await put(bytesOf(5), { by: "8" });
    expect(await codeRejectedBy(put(bytesOf(6), { by: "9" })), "all there is").to.equal("STORE_FULL");
    expect(shelf.usedBytes()).to.equal(500);
  });

  it("forgets what nobody put or fetched in a while, and has room again", async () => {
    await put(bytesOf(1));
    await put(bytesOf(2));
    nowMs = 900;
    shelf.get(sessionId, keccak256(bytesOf(2)));
    nowMs = 1_000;
    expect(await put(bytesOf(3)), "what is over makes room without a sweep").to.equal("stored");
    expect(codeThrownBy(() => shelf.get(sessionId, keccak256(bytesOf(1))))).to.equal("BLOB_UNKNOWN");
    nowMs = 1_900;
    shelf.sweep();
    expect(shelf.usedBytes()).to.equal(100);
    nowMs = 2_000;
    shelf.sweep();
    expect(shelf.usedBytes()).to.equal(0);
  });
});

describe("bodies of a session", () => {
  let bodies: SessionBodies;
  let shelf: BodyShelf;
  let signers: Address[];
  let questions: number;
  beforeEach(() => {
    shelf = createBodyShelf({ clock });
    [signers, questions] = [[signer, formerSigner], 0];
    bodies = createSessionBodies({
      shelf,
      sessions: {
        async signersOf() {
          questions += 1;
          return signers;
        },
        hasLane: async ({ nodeId }) => nodeId === 3,
      },
      authority: { nodeOfOperator: async (who) => (who === operator ? 3 : who === laneless ? 4 : 0) },
      isConnected: (id) => id === sessionId,
      clock,
    });
  });
  const bytes = bytesOf(9);
  const hash = keccak256(bytes);
  const put = (by: Address) => bodies.put({ sessionId, hash, signer: by, body: inChunks(bytes) });
  const get = (by: Address) => bodies.get({ sessionId, hash, signer: by });

  it("are left and fetched by the session's keys and the nodes with a lane in it, and by nobody else", async () => {
    expect([bodies.serves(sessionId), bodies.serves(otherSession)]).to.deep.equal([true, false]);
    for (const by of [laneless, stranger]) expect(await codeRejectedBy(put(by))).to.equal("AUTH_FORBIDDEN");
    expect(shelf.usedBytes()).to.equal(0);
    expect(await put(signer)).to.equal("stored");
    for (const by of [signer, formerSigner, operator]) expect(await get(by)).to.deep.equal(bytes);
    for (const by of [laneless, stranger]) expect(await codeRejectedBy(get(by))).to.equal("AUTH_FORBIDDEN");
  });

  it("ask the chain for a session's keys now and then, and at once for a key that is new", async () => {
    for (let count = 0; count < 5; count += 1) await put(signer);
    expect(questions).to.equal(1);
    signers = [stranger];
    expect(await codeRejectedBy(put(stranger)), "a stranger makes no questions").to.equal("AUTH_FORBIDDEN");
    expect(questions).to.equal(1);
    nowMs = 500;
    expect(await put(stranger)).to.equal("present");
    expect(await codeRejectedBy(put(signer)), "the former key is none any more").to.equal("AUTH_FORBIDDEN");
    expect(questions).to.equal(2);
  });
});

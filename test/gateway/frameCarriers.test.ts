/** Which way a gateway sends the frames of a peer that has shown its token on a coded link. */
import { beforeEach, describe, it } from "node:test";
import { createFrameCarriers, type FrameCarriers } from "@ngpu/keeper/gateway/frameCarriers";
import { linkLimits, type Link, type TakingLink } from "@ngpu/keeper/gateway/link";
import type { SendMessage } from "@ngpu/protocol/blobExchange/asker";
import { decodeCarried, encodeCarried } from "@ngpu/protocol/blobExchange/carriedFrames";
import { closeCode, type Frame } from "@ngpu/protocol/wire";
import { expect } from "chai";
import { randomBytes } from "node:crypto";
import { toHex, zeroHash } from "viem";
import { codeRejectedBy } from "../harness/codeRejectedBy.ts";
import { until } from "../harness/until.ts";

const refusal: Frame = { t: "refusal", sessionId: zeroHash, nodeId: 1, requestId: zeroHash, code: "NODE_BUSY" };
const ready: Frame = { t: "laneReady", sessionId: zeroHash, nodeId: 1 };

describe("frames over coded links", () => {
  let carriers: FrameCarriers;
  let plain: Frame[];
  let taken: Frame[];
  let closed: number[];
  let own: ReturnType<FrameCarriers["carry"]>;
  let coded: Frame[];
  let ending: AbortController;
  const send: SendMessage = async (bytes) => {
    const { frame } = decodeCarried(bytes);
    if (frame !== undefined) coded.push(frame);
  };

  beforeEach(() => {
    [plain, taken, closed, coded, ending] = [[], [], [], [], new AbortController()];
    carriers = createFrameCarriers({ random: (length) => randomBytes(length) });
    const link: TakingLink = {
      send: (frame) => void plain.push(frame),
      take: async (frame) => void taken.push(frame),
      refuse: () => undefined,
      close: (code) => void closed.push(code),
      checkAlive: () => undefined,
    };
    own = carriers.carry(link);
  });
  const show = (frame?: Frame, from = { send, signal: ending.signal }): Promise<void> =>
    carriers.take(encodeCarried({ token: own.token, ...(frame === undefined ? {} : { frame }) }), from);

  it("go over the WebSocket until its token is shown, then over that link, what keeps its order not", async () => {
    own.link.send(refusal);
    await show();
    own.link.send(refusal);
    own.link.send(ready);
    expect([plain, coded, carriers.count()]).to.deep.equal([[refusal, ready], [refusal], 1]);
    await show(refusal);
    expect(taken).to.deep.equal([refusal]);
  });

  it("go over the WebSocket again once that link ends, and where it does not take one", async () => {
    await show(undefined, { send: () => Promise.reject(new Error("full")), signal: ending.signal });
    own.link.send(refusal);
    await until("it went over the WebSocket", () => plain.length === 1);
    await show(undefined, { send, signal: ending.signal });
    ending.abort();
    own.link.send(refusal);
    expect([plain.length, coded.length, carriers.count()]).to.deep.equal([2, 0, 0]);
  });

  it("are nobody's without a token that stands: another one, or one whose WebSocket has ended", async () => {
    const from = { send, signal: ending.signal };
    await carriers.take(encodeCarried({ token: toHex(1, { size: 16 }), frame: refusal }), from);
    own.end();
    await show(refusal);
    expect([taken, carriers.count()]).to.deep.equal([[], 0]);
    expect(await codeRejectedBy(show(ready))).to.equal("WIRE_MALFORMED");
  });

  it("of a peer that does not read end its WebSocket", async () => {
    const never = new Promise<void>(() => undefined);
    await show(undefined, { send: () => never, signal: ending.signal });
    const large = { ...refusal, code: "x".repeat(500) };
    for (let bytes = 0; bytes <= linkLimits.mostUnsentBytes + 1_000; bytes += 500) (own.link as Link).send(large);
    expect(closed[0]).to.equal(closeCode.tooSlow);
  });
});

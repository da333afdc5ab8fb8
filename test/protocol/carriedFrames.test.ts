/** Frames that travel over a coded link in the place of their WebSocket: their bytes, and which way each is sent. */
import { beforeEach, describe, it } from "node:test";
import { decodeCarried, encodeCarried, isCarried, mayBeCarried } from "@ngpu/protocol/blobExchange/carriedFrames";
import { createFrameCarrier, type Carrier, type FrameCarrier } from "@ngpu/protocol/blobExchange/frameCarrier";
import { encodeRequestHead } from "@ngpu/protocol/blobExchange/messages";
import { createPromptSend } from "@ngpu/protocol/blobExchange/promptSend";
import { joinBytes } from "@ngpu/protocol/bytes";
import { gatewayLimits } from "@ngpu/protocol/limits";
import type { Frame } from "@ngpu/protocol/wire";
import { expect } from "chai";
import { setTimeout as sleep } from "node:timers/promises";
import { keccak256, toHex, zeroHash, type Hex } from "viem";
import { codeThrownBy } from "../harness/codeThrownBy.ts";
import { until } from "../harness/until.ts";

const token = toHex(7, { size: 16 });
const ask: Frame = {
  ...{ t: "ask", sessionId: keccak256("0x01"), nodeId: 1, requestId: zeroHash },
  ...{ inputCommitment: zeroHash, inputCiphertext: zeroHash, sealed: "AAAA" },
};
const ready: Frame = { t: "laneReady", sessionId: keccak256("0x01"), nodeId: 1 };

describe("carried frames", () => {
  it("come out as they went in, or without a frame, and are no requests about blobs", () => {
    expect(decodeCarried(encodeCarried({ token, frame: ask }))).to.deep.equal({ token, frame: ask });
    expect(decodeCarried(encodeCarried({ token }))).to.deep.equal({ token, frame: undefined });
    const request = encodeRequestHead({ kind: "get", request: 1, taskId: zeroHash, hash: zeroHash, authorization: "" });
    expect([isCarried(encodeCarried({ token })), isCarried(request), isCarried(new Uint8Array())]).to.deep.equal([true, false, false]);
  });

  it("are requests and answers of sessions alone, whole, of this version, and no longer than a frame", () => {
    expect([mayBeCarried(ask), mayBeCarried(ready)]).to.deep.equal([true, false]);
    const whole = encodeCarried({ token, frame: ask });
    const refused = [
      encodeCarried({ token, frame: ready }),
      whole.slice(0, 17),
      whole.slice(0, -1),
      whole.with(0, 2),
      whole.with(1, 1),
      joinBytes(encodeCarried({ token }), new Uint8Array(gatewayLimits.maxFrameBytes + 1)),
      joinBytes(encodeCarried({ token }), Uint8Array.of(0xff)),
    ];
    for (const message of refused) expect(codeThrownBy(() => decodeCarried(message))).to.equal("WIRE_MALFORMED");
  });
});

describe("a way that is usually faster", () => {
  it("is left for the other where it fails or is late, and taken again once it confirms", async () => {
    const ways: string[] = [];
    const prompt = createPromptSend({ lateMs: 40 });
    const other = (name: string) => () => void ways.push(`${name} otherwise`);
    const slow = Promise.withResolvers<void>();
    prompt(async () => void ways.push("first"), other("first"));
    prompt(() => Promise.reject(new Error("refused")), other("second"));
    await until("the second went the other way", () => ways.includes("second otherwise"));
    prompt(() => slow.promise, other("third"));
    await until("the third was late", () => ways.includes("third otherwise"));
    prompt(async () => void ways.push("fourth"), other("fourth"));
    slow.reject(new Error("and lost in the end"));
    await sleep(5);
    prompt(async () => void ways.push("fifth"), other("fifth"));
    await sleep(60);
    expect(ways).to.deep.equal(["first", "second otherwise", "third otherwise", "fourth otherwise", "fifth"]);
  });
});

describe("carrier of a WebSocket's frames", () => {
  let opened: { token: Hex; onFrame: (frame: Frame) => void }[];
  let carried: Frame[];
  let plain: Frame[];
  let left: number;
  let nowMs: number;
  let place: Carrier | undefined;
  let isOpen: boolean;
  let carrier: FrameCarrier;
  beforeEach(() => {
    [opened, carried, plain, left, nowMs, isOpen] = [[], [], [], 0, 0, true];
    place = { send: async (frame) => void carried.push(frame), isOpen: () => isOpen, leave: () => void (left += 1) };
    carrier = createFrameCarrier({
      gatewayUrl: "http://gateway",
      open: async (_url, options) => (opened.push(options), place),
      onFrame: () => undefined,
      monotonicMs: () => nowMs,
    });
  });
  const send = (frame: Frame): void => carrier.send(frame, (unsent) => void plain.push(unsent));

  it("sends requests over the link once it is there, all else over the WebSocket", async () => {
    send(ask);
    carrier.begin(token);
    await sleep(1);
    send(ask);
    send(ready);
    expect([opened.map((options) => options.token), carried, plain]).to.deep.equal([[token], [ask], [ask, ready]]);
  });

  it("goes back to the WebSocket where the link ended, and looks for another now and then", async () => {
    carrier.begin(token);
    await sleep(1);
    isOpen = false;
    send(ask);
    expect([opened.length, plain.length]).to.deep.equal([1, 1]);
    nowMs = 5_000;
    send(ask);
    isOpen = true;
    await sleep(1);
    send(ask);
    expect([opened.length, plain.length, carried.length]).to.deep.equal([2, 2, 1]);
  });

  it("leaves the link with the WebSocket, also one that opens too late", async () => {
    carrier.begin(token);
    carrier.end();
    await sleep(1);
    expect(left).to.equal(1);
    send(ask);
    expect([carried.length, plain.length]).to.deep.equal([0, 1]);
    place = undefined;
    carrier.begin(token);
    await sleep(1);
    send(ask);
    expect(plain.length, "no link gets through").to.equal(2);
  });
});

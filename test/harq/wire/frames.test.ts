/**
 * Frames and headers survive the wire unchanged, and no bytes make a decoder do anything but refuse them with a code.
 */
import { test } from "node:test";
import { expect } from "chai";
import { codeOf } from "@ngpu/protocol/errors";
import { datagramTypes, decodeHeader, encodeHeader } from "@ngpu/protocol/harq/wire/datagramHeader";
import { decodeFrames } from "@ngpu/protocol/harq/wire/decodeFrames";
import { encodeFrames } from "@ngpu/protocol/harq/wire/encodeFrames";
import { frameBytes } from "@ngpu/protocol/harq/wire/frameBytes";
import { verdicts, type Frame } from "@ngpu/protocol/harq/wire/frames";
import { nonceOf } from "@ngpu/protocol/harq/wire/nonce";
import { createRandom, type Random } from "../support/random.ts";
import { seeds, underSeed } from "../support/seeds.ts";

const file = "test/harq/wire/frames.test.ts";
const fuzzInputs = process.env["NGPU_FUZZ"] === undefined ? 100_000 : 1_000_000;

test("a symbol of 1,152 bytes fills a datagram of 1,200 to the last byte", () => {
  const symbol = { ...aSymbol(createRandom(1)), symbolBytes: 1_152, symbol: new Uint8Array(1_152) };
  expect(16 + encodeFrames([symbol], { capacity: 1_168 }).length + 16).to.equal(1_200);
});

test("any frames come back from the wire as they went, and take the bytes that were said", () => {
  for (const seed of seeds(2_000)) {
    underSeed(seed, file, () => {
      const random = createRandom(seed);
      const frames = Array.from({ length: random.integer(1, 6) }, () => aFrame(random));
      const padded = random.chance(0.5);
      const bytes = encodeFrames(frames, { capacity: 20_000, padded });
      expect(decodeFrames(bytes)).to.deep.equal(frames);
      const said = frames.reduce((total, frame) => total + frameBytes(frame), 0);
      if (!padded) expect(bytes.length).to.equal(said - (frames.at(-1)!.type === "symbol" ? 2 : 0));
    });
  }
});

test("any header comes back from the wire as it went", () => {
  for (const seed of seeds(500)) {
    const random = createRandom(seed);
    const header = {
      type: random.pick(datagramTypes),
      keyPhase: random.pick([0, 1] as const),
      connectionId: BigInt(random.integer(0, 2 ** 32 - 1)) * 2n ** 32n + BigInt(random.integer(0, 2 ** 32 - 1)),
      packetNumber: random.integer(0, 2 ** 48 - 1),
      path: random.integer(0, 255),
    };
    expect(decodeHeader(encodeHeader(header))).to.deep.equal(header);
  }
});

test("refuses a header of another version, type or fixed bits, and one cut short", () => {
  const good = encodeHeader({ type: "data", keyPhase: 0, connectionId: 7n, packetNumber: 1, path: 0 });
  for (const first of [0x40, 0x58, 0x4d, 0xc8, 0x08]) {
    const bad = good.slice();
    bad[0] = first;
    expect(codeIn(() => decodeHeader(bad))).to.equal("WIRE_MALFORMED");
  }
  expect(codeIn(() => decodeHeader(good.subarray(0, 15)))).to.equal("WIRE_MALFORMED");
});

test("no two packets of a direction share a nonce, whatever their paths", () => {
  const salt = createRandom(3).bytes(12);
  const seen = new Set<string>();
  const numbers = [0, 1, 255, 256, 2 ** 32, 2 ** 48 - 1];
  for (const path of [0, 1, 255])
    for (const packetNumber of numbers) seen.add(nonceOf(salt, { path, packetNumber }).join());
  expect(seen.size).to.equal(3 * numbers.length);
});

test("refuses what does not add up: ranges below zero, counts beyond the bytes, symbols longer than their size", () => {
  const status = { type: "status", path: 0, largest: 5, ageUs: 0, received: 1, credit: 0 } as const;
  const lists = { ranges: [], deficits: [], missing: [] };
  const encoded = (frame: Frame): Uint8Array => encodeFrames([frame], { capacity: 2_000 });
  const bad = [
    encoded({ ...status, ...lists, ranges: [{ gap: 0, run: 7 }] }),
    encoded({ ...status, ...lists, ranges: [{ gap: 0, run: 0 }] }),
    encoded({ ...status, ...lists, deficits: [{ message: 0, block: 0, deficit: 129 }] }),
    encoded({ ...aSymbol(createRandom(1)), symbolBytes: 64, symbol: new Uint8Array(65) }),
    encoded({ ...aSymbol(createRandom(1)), kmax: 129 }),
    Uint8Array.of(0x00, 0x01),
    Uint8Array.of(0x0d),
    Uint8Array.of(0x04, ...new Array<number>(23).fill(0), 255),
  ];
  for (const bytes of bad) expect(codeIn(() => decodeFrames(bytes))).to.equal("WIRE_MALFORMED");
});

test("no bytes make a decoder throw anything but its code, nor hold more than they are", () => {
  const random = createRandom(Number(process.env["SEED"] ?? "11"));
  for (let input = 0; input < fuzzInputs; input += 1) {
    const bytes = random.chance(0.5) ? random.bytes(random.integer(0, 80)) : mutated(random);
    try {
      const frames = decodeFrames(bytes);
      const held = frames.reduce((total, frame) => total + frameBytes(frame) - (frame.type === "symbol" ? 2 : 0), 0);
      expect(held).to.be.at.most(bytes.length);
    } catch (error) {
      if (codeOf(error) !== "WIRE_MALFORMED") throw new Error(`input ${input}: ${bytes.join()}`, { cause: error });
    }
  }
});

function mutated(random: Random): Uint8Array {
  const bytes = encodeFrames([aFrame(random), aFrame(random)], { capacity: 8_000 }).slice();
  for (let change = random.integer(1, 3); change > 0; change -= 1) {
    bytes[random.integer(0, Math.min(60, bytes.length - 1))] = random.integer(0, 255);
  }
  return random.chance(0.3) ? bytes.subarray(0, random.integer(0, bytes.length)) : bytes;
}

function aSymbol(random: Random): Extract<Frame, { type: "symbol" }> {
  const size = random.integer(1, 4);
  return {
    type: "symbol",
    message: random.integer(0, 2 ** 32 - 1),
    block: random.integer(0, 65_535),
    esi: random.integer(0, 255),
    kmax: random.integer(1, 128),
    length: random.integer(1, 2 ** 40 - 1),
    priority: random.integer(0, 15),
    codec: random.integer(0, 15),
    symbolBytes: size * 64,
    symbol: random.bytes(random.integer(1, size * 64)),
  };
}

function aFrame(random: Random): Frame {
  const message = random.integer(0, 2 ** 32 - 1);
  const length = random.integer(1, 2 ** 40 - 1);
  const several = <T>(most: number, item: () => T): T[] => Array.from({ length: random.integer(0, most) }, item);
  const block = (): number => random.integer(0, 65_535);
  switch (random.integer(0, 10)) {
    case 0:
      return { type: "end", message, length, sha256: random.bytes(32) };
    case 1:
      return {
        type: "status",
        path: random.integer(0, 255),
        largest: random.integer(200_000, 2 ** 48 - 1),
        ageUs: random.integer(0, 2 ** 32 - 1),
        received: random.integer(0, 2 ** 48 - 1),
        credit: random.integer(0, 2 ** 48 - 1),
        ranges: several(8, () => ({ gap: random.integer(0, 10_000), run: random.integer(1, 10_000) })),
        deficits: several(8, () => ({ message, block: block(), deficit: random.integer(0, 128) })),
        missing: several(3, () => ({ message, block: block(), bitmap: random.bytes(16) })),
      };
    case 2:
      return { type: "done", message, verdict: random.pick(verdicts) };
    case 3:
      return { type: "doneAck", message };
    case 4:
      return { type: "ping" };
    case 5:
      return { type: random.pick(["challenge", "response"] as const), data: random.bytes(8) };
    case 6:
      return { type: "cancel", message, length, code: random.integer(0, 65_535) };
    case 7: {
      const shape = { message, length, kmax: random.integer(1, 128), symbolBytes: 64 * random.integer(1, 255) };
      const received = random.bytes(random.integer(0, 255));
      return { type: "resume", ...shape, sha256: random.bytes(32), firstBlock: block(), received };
    }
    case 8:
      return { type: "close", code: random.integer(0, 65_535), text: random.pick(["", "going away", "füße ✓"]) };
    default:
      return aSymbol(random);
  }
}

function codeIn(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return codeOf(error);
  }
  return "none";
}

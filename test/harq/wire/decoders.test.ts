/**
 * Everything that reads bytes or text of strangers, fed with inputs that were good once: it gives back what encodes to
 * the same again, or refuses with the code that it says it refuses with, and nothing else.
 */
import { decodeBlobAuthorization, encodeBlobAuthorization } from "@ngpu/protocol/blobAuthorization";
import { joinBytes } from "@ngpu/protocol/bytes";
import { decodeAnswer, decodeRequest, encodeAnswer, encodeOffset, encodeRequestHead } from "@ngpu/protocol/blobExchange/messages";
import { codeOf, type ErrorCode } from "@ngpu/protocol/errors";
import { decodePayload as decodeHandshake, encodePayload as encodeHandshake } from "@ngpu/protocol/harq/security/handshakePayload";
import { pathTokenBytes } from "@ngpu/protocol/harq/security/pathToken";
import { decodeRetry, encodeRetry } from "@ngpu/protocol/harq/security/retry";
import { unwrapToken, wrapInToken } from "@ngpu/protocol/harq/security/tokenEnvelope";
import { imageSize } from "@ngpu/protocol/imageSize";
import { decodePayload, encodePayload } from "@ngpu/protocol/sealed/payload";
import { decodeFrame, encodeFrame } from "@ngpu/protocol/wire";
import { expect } from "chai";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { bytesToHex, keccak256, toHex, zeroAddress, zeroHash } from "viem";
import { createRandom, type Random } from "../support/random.ts";

const inputs = process.env.NGPU_FUZZ === undefined ? 10_000 : 1_000_000;
const seed = Number(process.env.SEED ?? "17");

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const bytes = (from: string): Uint8Array => new TextEncoder().encode(from);
const token = new Uint8Array(pathTokenBytes).fill(7);
const signature = toHex(1, { size: 65 });
const head = { kind: "put", request: 9, taskId: zeroHash, hash: keccak256("0x01"), authorization: "NGPU x" } as const;
const capabilities = { codec: 0, largestSymbolBytes: 1_152, largestDatagramBytes: 1_452, creditBytes: 2 ** 26 };
const handshake = { connectionId: 5n, chainId: 31_337, escrow: zeroAddress, capabilities };
const access = { action: 1, taskId: zeroHash, blobHash: zeroHash, expiry: 9n };
const picture = (path: string): Uint8Array => new Uint8Array(readFileSync(new URL(`../../../${path}`, import.meta.url)));

interface Decoder {
  readonly name: string;
  readonly good: readonly Uint8Array[];
  /** Throws where what was taken does not come to the same. */
  decode(input: Uint8Array): void;
  readonly refuses: readonly ErrorCode[];
}

const decoders: readonly Decoder[] = [
  {
    name: "a request for a blob",
    good: [encodeRequestHead(head), encodeRequestHead({ ...head, kind: "get", authorization: "NGPU é" }), joinBytes(encodeRequestHead({ ...head, kind: "part" }), encodeOffset(5))],
    decode(input) {
      const { head: found, blob } = decodeRequest(input);
      expect([...encodeRequestHead(found), ...blob]).to.deep.equal([...input]);
    },
    refuses: ["WIRE_MALFORMED"],
  },
  {
    name: "an answer about a blob",
    good: [
      encodeAnswer({ kind: "size", request: 1, bytes: 5 }),
      encodeAnswer({ kind: "stored", request: 1, wasPresent: true }),
      encodeAnswer({ kind: "refused", request: 1, code: "STORE_FULL" }),
    ],
    decode: (input) => void decodeAnswer(input),
    refuses: ["WIRE_MALFORMED"],
  },
  {
    name: "what a handshake says",
    good: [
      encodeHandshake({ ...handshake, candidates: [] }),
      encodeHandshake({
        ...handshake,
        candidates: [{ address: "192.0.2.1", port: 9, token }, { address: "2001:db8::1", port: 10 }],
        identity: { operator: zeroAddress, validUntil: 12n, signature },
      }),
    ],
    decode: (input) => expect(bytesToHex(encodeHandshake(decodeHandshake(input)))).to.equal(bytesToHex(input)),
    refuses: ["WIRE_MALFORMED"],
  },
  {
    name: "a RETRY and a token in front",
    good: [
      encodeRetry({ connectionId: 3n, packetNumber: 4, path: 1 }, token),
      wrapInToken(token, Uint8Array.of(1, 2, 3)),
    ],
    decode(input) {
      const { datagram } = unwrapToken(input);
      expect(datagram.length).to.be.at.most(input.length);
      const retry = decodeRetry(input);
      if (retry !== undefined) expect(bytesToHex(encodeRetry(retry, retry.token))).to.equal(bytesToHex(input));
    },
    refuses: [],
  },
  {
    name: "a frame",
    good: [
      bytes(encodeFrame({ t: "challenge", nonce: zeroHash, audience: zeroHash, chainId: 1, escrow: zeroAddress })),
      bytes(encodeFrame({ t: "livenessAsk", nodeId: 3, challengeId: zeroHash })),
      bytes(encodeFrame({ t: "error", code: "INTERNAL", message: "no" })),
    ],
    decode(input) {
      const frame = decodeFrame(text(input));
      expect(decodeFrame(encodeFrame(frame))).to.deep.equal(frame);
    },
    refuses: ["WIRE_MALFORMED", "WIRE_TOO_LARGE"],
  },
  {
    name: "an authorization",
    good: [bytes(encodeBlobAuthorization({ message: access, signature }))],
    decode: (input) => void decodeBlobAuthorization(text(input)),
    refuses: ["AUTH_REQUIRED"],
  },
  {
    name: "an opened body",
    good: [
      encodePayload({ parameters: { lines: 3 }, parts: [{ name: "a", mediaType: "image/png", bytes: token }] }),
      encodePayload({ parameters: {}, parts: [] }),
    ],
    decode(input) {
      const { parts } = decodePayload(input);
      const held = parts.reduce((total, part) => total + part.bytes.length, 0);
      expect(held).to.be.at.most(input.length);
    },
    refuses: ["PAYLOAD_MALFORMED"],
  },
  {
    name: "the size of a picture",
    good: [picture("app/public/samples/text/01-receipt.png").slice(0, 400), Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 17, 8, 0, 9, 0, 9, 3)],
    decode: (input) => void imageSize(input),
    refuses: ["INPUT_NOT_IMAGE"],
  },
];

describe("what reads the bytes of strangers", () => {
  for (const { name, good, decode, refuses } of decoders) {
    it(`takes ${name} as it was made, and refuses what it was made into with its code`, () => {
      for (const input of good) decode(input);
      const random = createRandom(seed);
      for (let at = 0; at < inputs; at += 1) {
        const input = changed(random.pick(good), random);
        try {
          decode(input);
        } catch (error) {
          if (refuses.includes(codeOf(error))) continue;
          throw new Error(`input ${at} of seed ${seed}: ${bytesToHex(input)}`, { cause: error });
        }
      }
    });
  }
});

/** Bits turned, bytes set to the ends of their range, runs removed, doubled and moved, an end cut off. */
function changed(good: Uint8Array, random: Random): Uint8Array {
  let now = [...good];
  for (let left = random.integer(1, 4); left > 0; left -= 1) {
    const at = random.integer(0, Math.max(0, now.length - 1));
    const count = random.integer(1, 8);
    switch (random.integer(0, 5)) {
      case 0:
        now[at] = (now[at] ?? 0) ^ (1 << random.integer(0, 7));
        break;
      case 1:
        now[at] = random.pick([0, 1, 0x7f, 0x80, 0xff]);
        break;
      case 2:
        now.splice(at, count);
        break;
      case 3:
        now.splice(at, 0, ...now.slice(at, at + count));
        break;
      case 4:
        now.splice(at, 0, ...random.bytes(count));
        break;
      case 5:
        now = now.slice(0, at);
    }
  }
  return Uint8Array.from(now);
}

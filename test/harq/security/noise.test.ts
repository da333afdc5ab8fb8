/** The Noise IK handshake: against vectors of another implementation, with both sets of primitives, and attacked. */
import { test } from "node:test";
import { expect } from "chai";
import { answerIk, beginIk, smallestHelloBytes, smallestReplyBytes } from "@ngpu/protocol/harq/security/noiseIk";
import { createNoblePrimitives } from "@ngpu/protocol/harq/security/noblePrimitives";
import type { KeyPair, NoisePrimitives } from "@ngpu/protocol/harq/security/noisePrimitives";
import { nodePrimitives } from "@ngpu/protocol/service/harq/nodePrimitives";
import vectors from "@ngpu/protocol/vectors/noise.json" with { type: "json" };
import { createRandom } from "../support/random.ts";

const random = createRandom(3);
const sets = { node: nodePrimitives, noble: createNoblePrimitives(random.bytes) };
const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, "hex"));
const hexOf = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString("hex");
const prologue = bytesOf("00ff");
const payload = new TextEncoder().encode("what it says");
const answer = new TextEncoder().encode("and what is answered");

/** Order 1, 2, 4 and 8 on the curve and its twist, canonical or not (RFC 7748, section 7). */
const lowOrder = [
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
  "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
];

function pairOf(primitives: NoisePrimitives, hex: string): KeyPair {
  const secretKey = bytesOf(hex);
  return { secretKey, publicKey: primitives.publicKeyOf(secretKey) };
}

for (const [name, primitives] of Object.entries(sets)) {
  test(`the ${name} primitives give the vectors byte for byte`, () => {
    for (const vector of vectors.vectors) {
      const fixed = (hex: string): NoisePrimitives => ({ ...primitives, generate: () => pairOf(primitives, hex) });
      const shared = { prologue: bytesOf(vector.prologue) };
      const initiator = pairOf(primitives, vector.initiatorStatic);
      const responder = pairOf(primitives, vector.responderStatic);
      expect(hexOf(responder.publicKey)).to.equal(vector.responderPublicKey);
      const begun = beginIk(
        { ...shared, primitives: fixed(vector.initiatorEphemeral), staticKey: initiator },
        { responderPublicKey: responder.publicKey, payload: bytesOf(vector.hello.payload) },
      )!;
      expect(hexOf(begun.hello)).to.equal(vector.hello.message);
      const heard = answerIk(
        { ...shared, primitives: fixed(vector.responderEphemeral), staticKey: responder },
        begun.hello,
      )!;
      expect(hexOf(heard.initiatorPublicKey)).to.equal(vector.initiatorPublicKey);
      expect(hexOf(heard.payload)).to.equal(vector.hello.payload);
      const replied = heard.reply(bytesOf(vector.reply.payload));
      expect(hexOf(replied.reply)).to.equal(vector.reply.message);
      const finished = begun.finish(replied.reply)!;
      expect(hexOf(finished.payload)).to.equal(vector.reply.payload);
      for (const secrets of [replied, finished]) {
        expect(hexOf(secrets.handshakeHash)).to.equal(vector.handshakeHash);
        expect(hexOf(secrets.initiatorToResponder)).to.equal(vector.initiatorToResponder);
        expect(hexOf(secrets.responderToInitiator)).to.equal(vector.responderToInitiator);
      }
    }
  });

  test(`the ${name} primitives refuse points of low order, and what is no point`, () => {
    const { secretKey } = primitives.generate();
    for (const hex of [...lowOrder, "", "00".repeat(31), "09".repeat(33)]) {
      expect(primitives.agree(secretKey, bytesOf(hex)), hex).to.equal(undefined);
    }
    for (const hex of lowOrder) {
      const options = { primitives, prologue, staticKey: primitives.generate() };
      expect(beginIk(options, { responderPublicKey: bytesOf(hex), payload })).to.equal(undefined);
      const { begun, responder } = aPair(primitives);
      const hello = begun.hello.slice();
      hello.set(bytesOf(hex));
      expect(answerIk(responder, hello), "ephemeral").to.equal(undefined);
      const reply = answerIk(responder, begun.hello)!.reply(answer).reply;
      reply.set(bytesOf(hex));
      expect(begun.finish(reply), "reply's ephemeral").to.equal(undefined);
      const named = { ...options, staticKey: { ...options.staticKey, publicKey: bytesOf(hex) } };
      const posing = beginIk(named, { responderPublicKey: responder.staticKey.publicKey, payload })!;
      expect(answerIk(responder, posing.hello), "static").to.equal(undefined);
    }
  });
}

test("both sets of primitives shake hands with each other", () => {
  const { begun, responder } = aPair(sets.noble, sets.node);
  const heard = answerIk(responder, begun.hello)!;
  expect(hexOf(heard.payload)).to.equal(hexOf(payload));
  const { reply, ...secrets } = heard.reply(answer);
  const { payload: told, ...others } = begun.finish(reply)!;
  expect(hexOf(told)).to.equal(hexOf(answer));
  expect(others).to.deep.equal(secrets);
});

test("a handshake message of which any one bit is changed, or that is cut or longer, is refused", () => {
  const { begun, responder } = aPair(sets.node);
  const reply = answerIk(responder, begun.hello)!.reply(answer).reply;
  refusesChanges(begun.hello, smallestHelloBytes, (hello) => answerIk(responder, hello));
  refusesChanges(reply, smallestReplyBytes, (bytes) => begun.finish(bytes));
  expect(begun.finish(reply), "the true one still holds").to.not.equal(undefined);
});

test("a hello for another responder or prologue is refused, and so is a reply of another or to another hello", () => {
  const { begun, responder } = aPair(sets.node);
  const other = { ...responder, staticKey: nodePrimitives.generate() };
  expect(answerIk(other, begun.hello)).to.equal(undefined);
  expect(answerIk({ ...responder, prologue: bytesOf("00fe") }, begun.hello)).to.equal(undefined);
  const posing = { ...responder, staticKey: { ...other.staticKey, publicKey: responder.staticKey.publicKey } };
  expect(answerIk(posing, begun.hello), "who knows only the public key").to.equal(undefined);
  const again = aPair(sets.node);
  expect(begun.finish(answerIk(again.responder, again.begun.hello)!.reply(answer).reply)).to.equal(undefined);
});

test("an initiator that does not hold the static key which it names is refused", () => {
  const { responder } = aPair(sets.node);
  const stolen = { ...nodePrimitives.generate(), publicKey: nodePrimitives.generate().publicKey };
  const posing = beginIk(
    { primitives: nodePrimitives, prologue, staticKey: stolen },
    { responderPublicKey: responder.staticKey.publicKey, payload },
  )!;
  expect(answerIk(responder, posing.hello)).to.equal(undefined);
});

test("two handshakes of the same keys have nothing in common, and neither static key is to be seen", () => {
  const staticKey = nodePrimitives.generate();
  const responder = { primitives: nodePrimitives, prologue, staticKey: nodePrimitives.generate() };
  const [one, other] = [0, 1].map(() => {
    const options = { primitives: nodePrimitives, prologue, staticKey };
    const begun = beginIk(options, { responderPublicKey: responder.staticKey.publicKey, payload })!;
    const replied = answerIk(responder, begun.hello)!.reply(answer);
    for (const key of [staticKey.publicKey, responder.staticKey.publicKey, payload]) {
      expect(hexOf(begun.hello) + hexOf(replied.reply)).to.not.contain(hexOf(key));
    }
    return { hello: begun.hello, ...replied };
  });
  for (const part of ["hello", "reply", "handshakeHash", "initiatorToResponder", "responderToInitiator"] as const) {
    expect(hexOf(one![part]), part).to.not.equal(hexOf(other![part]));
  }
});

function aPair(near: NoisePrimitives, far = near) {
  const responder = { primitives: far, prologue, staticKey: far.generate() };
  const options = { primitives: near, prologue, staticKey: near.generate() };
  const begun = beginIk(options, { responderPublicKey: responder.staticKey.publicKey, payload })!;
  return { begun, responder };
}

function refusesChanges(message: Uint8Array, smallest: number, take: (bytes: Uint8Array) => unknown): void {
  for (let bit = 0; bit < 8 * message.length; bit += 1) {
    const changed = message.slice();
    changed[bit >> 3]! ^= 1 << (bit & 7);
    expect(take(changed), `bit ${bit}`).to.equal(undefined);
  }
  for (const length of [0, 1, 31, 32, smallest - 1, smallest, message.length - 1]) {
    expect(take(message.slice(0, length)), `cut to ${length}`).to.equal(undefined);
  }
  expect(take(new Uint8Array([...message, 0]))).to.equal(undefined);
  expect(take(new Uint8Array(65_536))).to.equal(undefined);
}

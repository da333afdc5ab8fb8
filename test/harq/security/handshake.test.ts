/** A connection's handshake: who is at the other end, what was agreed, and what is refused. */
import { test } from "node:test";
import { expect } from "chai";
import { codeOf, NgpuError } from "@ngpu/protocol/errors";
import { createProtection } from "@ngpu/protocol/harq/connection/protection";
import { createDirectionKeys } from "@ngpu/protocol/harq/security/directionKeys";
import { createInitiator, respond, type HandshakeOptions } from "@ngpu/protocol/harq/security/handshake";
import { decodePayload, encodePayload, type HandshakePayload } from "@ngpu/protocol/harq/security/handshakePayload";
import { beginIk } from "@ngpu/protocol/harq/security/noiseIk";
import { decodeHeader } from "@ngpu/protocol/harq/wire/datagramHeader";
import { nodePrimitives } from "@ngpu/protocol/service/harq/nodePrimitives";
import { anEnd, anOperator, browserPrimitives, context, nowS, vouch } from "../support/handshakes.ts";
import { createRandom } from "../support/random.ts";

const random = createRandom(6);
const token = random.bytes(44);

test("an operator and an anonymous client agree on keys, and each knows what the other said", async () => {
  const { client, node, operator, begin } = await aPair();
  const initiator = begin();
  const { reply, result: far } = await respond(node, initiator.hello);
  const near = await initiator.finish(reply);
  expect(near.handshakeHash).to.deep.equal(far.handshakeHash);
  expect(near.peer.operator).to.equal(operator.address);
  expect([far.peer.operator, far.peer.transportKey]).to.deep.equal([undefined, client.staticKey.publicKey]);
  expect(near.peer.capabilities).to.deep.equal(node.capabilities);
  expect(near.peer.candidates).to.deep.equal([
    { address: "203.0.113.7", port: 4_433, token },
    { address: "2001:db8:0:0:0:0:0:1", port: 9 },
  ]);
  const [one, other] = [createProtection(near), createProtection(far)];
  for (const [from, to, id] of [[one, other, node.connectionId], [other, one, client.connectionId]] as const) {
    const body = random.bytes(100);
    const datagram = from.seal({ type: "data", path: 3, packetNumber: 70_000, body });
    const header = decodeHeader(datagram);
    expect(header.connectionId).to.equal(id);
    expect(to.open(header, datagram)).to.deep.equal(body);
    expect(from.open(header, datagram), "not what it sent itself").to.equal(undefined);
  }
});

test("what a handshake gives as bytes derives the same keys elsewhere, phase by phase", async () => {
  const { node, begin } = await aPair();
  const initiator = begin();
  const { reply, result } = await respond(node, initiator.hello);
  const { secrets } = await initiator.finish(structuredClone(reply));
  expect(secrets.send).to.deep.equal(result.secrets.receive);
  const derived = createDirectionKeys(nodePrimitives, structuredClone(secrets.receive));
  const nonce = random.bytes(12);
  for (let phase = 0, [one, other] = [derived, result.send]; phase < 3; phase += 1) {
    expect([one!.salt, one!.connectionId]).to.deep.equal([other!.salt, other!.connectionId]);
    const sealed = other!.sealer.seal(token, reply, nonce);
    expect(one!.sealer.open(sealed, reply, nonce)).to.deep.equal(token);
    [one, other] = [one!.next!(), other!.next!()];
    expect(one.sealer.open(sealed, reply, nonce), "of the phase before").to.equal(undefined);
  }
});

test("two handshakes of the same ends share no key, and a datagram of one opens in no other", async () => {
  const { node, begin } = await aPair();
  const [one, other] = await Promise.all([0, 1].map(async () => (await respond(node, begin().hello)).result));
  expect(one!.handshakeHash).to.not.deep.equal(other!.handshakeHash);
  const datagram = createProtection({ send: one!.send, receive: one!.receive }).seal({
    type: "data",
    path: 0,
    packetNumber: 0,
    body: random.bytes(50),
  });
  const crossed = createProtection({ send: one!.send, receive: other!.send });
  expect(crossed.open(decodeHeader(datagram), datagram)).to.equal(undefined);
});

test("a transport key that its operator did not sign for is refused, whoever shows it", async () => {
  const operator = anOperator();
  const stranger = anOperator();
  const { client, node } = await aPair();
  const signed = await vouch(operator, node.staticKey);
  const late = BigInt(nowS + 7 * 86_400 + 31);
  const words = {
    "signed by another": [await vouch(stranger, node.staticKey, { operator: operator.address }), "HANDSHAKE_REFUSED"],
    "too long": [await vouch(operator, node.staticKey, { validUntil: late }), "HANDSHAKE_REFUSED"],
    "signed for another chain": [
      await vouch(operator, node.staticKey, {}, { ...context, chainId: 1 }),
      "HANDSHAKE_REFUSED",
    ],
    expired: [await vouch(operator, node.staticKey, { validUntil: BigInt(nowS - 31) }), "AUTH_EXPIRED"],
    "changed afterwards": [
      { ...signed, message: { ...signed.message, validUntil: signed.message.validUntil + 1n } },
      "HANDSHAKE_REFUSED",
    ],
  } as const;
  for (const [name, [identity, code]] of Object.entries(words)) {
    const initiator = createInitiator({ ...client, responderPublicKey: node.staticKey.publicKey });
    const { reply } = await respond({ ...node, identity }, initiator.hello);
    expect(await codeRejectedBy(initiator.finish(reply)), name).to.equal(code);
    const shown = createInitiator({ ...node, identity, responderPublicKey: client.staticKey.publicKey });
    expect(await codeRejectedBy(respond(client, shown.hello)), `${name}, by the initiator`).to.equal(code);
  }
  const others = { ...node, identity: await vouch(operator, nodePrimitives.generate()) };
  const { hello } = createInitiator({ ...client, responderPublicKey: node.staticKey.publicKey });
  expect(await codeRejectedBy(respond(others, hello)), "for another key").to.equal("HANDSHAKE_REFUSED");
});

test("an end that speaks of another chain or escrow is refused by whoever hears it", async () => {
  const { client, node } = await aPair();
  for (const elsewhere of [
    { ...context, chainId: 1 },
    { ...context, verifyingContract: "0x00000000000000000000000000000000000000e6" as const },
  ]) {
    const initiator = createInitiator({ ...client, context: elsewhere, responderPublicKey: node.staticKey.publicKey });
    expect(await codeRejectedBy(respond(node, initiator.hello))).to.equal("HANDSHAKE_REFUSED");
    const { identity: _, ...bare } = node;
    const asked = createInitiator({ ...client, responderPublicKey: node.staticKey.publicKey });
    const heard = createInitiator({ ...client, context: elsewhere, responderPublicKey: node.staticKey.publicKey });
    const { reply } = await respond({ ...bare, context: elsewhere }, heard.hello);
    expect(await codeRejectedBy(asked.finish(reply))).to.equal("HANDSHAKE_REFUSED");
    expect(await codeRejectedBy(heard.finish(reply)), "its own is taken").to.equal(undefined);
  }
});

test("an initiator that expects an operator takes no other, and none that is not named", async () => {
  const { client, node, operator } = await aPair();
  const { identity: _, ...bare } = node;
  const expecting = { ...client, responderPublicKey: node.staticKey.publicKey, responderOperator: operator.address };
  const outcome = async (end: HandshakeOptions): Promise<string | undefined> => {
    const initiator = createInitiator(expecting);
    return codeRejectedBy(initiator.finish((await respond(end, initiator.hello)).reply));
  };
  expect(await outcome(node)).to.equal(undefined);
  expect(await outcome(bare)).to.equal("HANDSHAKE_REFUSED");
  const other = anOperator();
  expect(await outcome({ ...node, identity: await vouch(other, node.staticKey) })).to.equal("HANDSHAKE_REFUSED");
});

test("a hello and a reply with any one byte changed are refused, and the true reply is taken afterwards", async () => {
  const { node, begin } = await aPair();
  const initiator = begin();
  const { reply } = await respond(node, initiator.hello);
  for (let at = 0; at < initiator.hello.length; at += 1) {
    const outcome = await codeRejectedBy(respond(node, flipped(initiator.hello, at)));
    expect(outcome, `hello ${at}`).to.equal("HANDSHAKE_REFUSED");
  }
  for (let at = 0; at < reply.length; at += 1) {
    expect(await codeRejectedBy(initiator.finish(flipped(reply, at))), `reply ${at}`).to.equal("HANDSHAKE_REFUSED");
  }
  await initiator.finish(reply);
});

test("a hello that is replayed gets other keys, which only its first sender could derive", async () => {
  const { node, begin } = await aPair();
  const initiator = begin();
  const first = await respond(node, initiator.hello);
  const again = await respond({ ...node, connectionId: 99n }, initiator.hello);
  expect(again.result.handshakeHash).to.not.deep.equal(first.result.handshakeHash);
  const near = await initiator.finish(first.reply);
  const datagram = createProtection(near).seal({ type: "data", path: 0, packetNumber: 0, body: random.bytes(9) });
  expect(createProtection(again.result).open(decodeHeader(datagram), datagram)).to.equal(undefined);
});

test("what is said is refused as a whole when any rule of its grammar is broken", async () => {
  const { client, node } = await aPair();
  const good: HandshakePayload = {
    connectionId: 5n,
    chainId: 31_337,
    escrow: context.verifyingContract,
    capabilities: client.capabilities,
    candidates: [{ address: "203.0.113.7", port: 4_433, token }],
  };
  const bytes = encodePayload(good);
  expect(decodePayload(bytes)).to.deep.equal({ ...good, escrow: decodePayload(bytes).escrow });
  const changed = (at: number, value: number): Uint8Array => bytes.map((byte, place) => (place === at ? value : byte));
  const broken = {
    version: changed(0, 2),
    "connection id 0": bytes.map((byte, at) => (at >= 1 && at < 9 ? 0 : byte)),
    "chain id": changed(9, 1),
    "symbol size": changed(38, 0),
    "datagram size": changed(39, 0),
    "count of candidates": changed(47, 9),
    "address version": changed(48, 5),
    multicast: changed(49, 224),
    "nobody's address": changed(49, 0),
    "port 0": bytes.map((byte, at) => (at === 53 || at === 54 ? 0 : byte)),
    "token length": changed(55, 43),
    identity: changed(bytes.length - 1, 2),
    "identity without words": changed(bytes.length - 1, 1),
    longer: new Uint8Array([...bytes, 0]),
    huge: new Uint8Array(60_000),
  };
  for (const [name, payload] of Object.entries(broken)) {
    expect(codeThrownBy(() => decodePayload(payload)), name).to.equal("WIRE_MALFORMED");
    const { primitives, staticKey } = client;
    const prologue = new TextEncoder().encode("ngpu/1 harq");
    const to = { responderPublicKey: node.staticKey.publicKey, payload };
    const { hello } = beginIk({ primitives, staticKey, prologue }, to)!;
    expect(await codeRejectedBy(respond(node, hello)), name).to.equal("WIRE_MALFORMED");
  }
  for (let length = 0; length < bytes.length; length += 1) {
    expect(codeThrownBy(() => decodePayload(bytes.subarray(0, length))), `cut to ${length}`).to.equal("WIRE_MALFORMED");
  }
  for (let round = 0; round < 20_000; round += 1) {
    const noisy = bytes.slice();
    for (let time = random.integer(1, 4); time > 0; time -= 1) {
      noisy[random.integer(0, noisy.length - 1)] = random.integer(0, 255);
    }
    const code = codeThrownBy(() => decodePayload(noisy));
    expect(code === undefined || code === "WIRE_MALFORMED", code).to.equal(true);
  }
});

async function aPair() {
  const operator = anOperator();
  const client = anEnd(0xc11e_0000_0000_0001n, browserPrimitives);
  const bare = anEnd(0x0de0_0000_0000_0002n);
  const candidates = [
    { address: "203.0.113.7", port: 4_433, token },
    { address: "2001:db8::1", port: 9 },
  ];
  const node = { ...bare, candidates, identity: await vouch(operator, bare.staticKey) };
  const begin = () => createInitiator({ ...client, responderPublicKey: node.staticKey.publicKey });
  return { client, node, operator, begin };
}

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const changed = bytes.slice();
  changed[at]! ^= 1 << random.integer(0, 7);
  return changed;
}

function codeThrownBy(act: () => unknown): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return error instanceof NgpuError ? codeOf(error) : String(error);
  }
}

async function codeRejectedBy(outcome: Promise<unknown>): Promise<string | undefined> {
  return outcome.then(
    () => undefined,
    (error: unknown) => (error instanceof NgpuError ? codeOf(error) : String(error)),
  );
}

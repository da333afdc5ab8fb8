/** What an open socket says to addresses that have not proved themselves, and how honest ones get in. */
import { test } from "node:test";
import { expect } from "chai";
import { step } from "@ngpu/protocol/harq/connection";
import { isAuthentic } from "@ngpu/protocol/harq/connection/receive";
import { addressPrefix } from "@ngpu/protocol/harq/security/addressPrefix";
import { createGate, type Gate } from "@ngpu/protocol/harq/security/gate";
import { createPathTokens, pathTokenBytes } from "@ngpu/protocol/harq/security/pathToken";
import { createPrefixBudget } from "@ngpu/protocol/harq/security/prefixBudget";
import { decodeRetry, encodeRetry, retryBytes } from "@ngpu/protocol/harq/security/retry";
import { envelopeBytes, unwrapToken, wrapInToken } from "@ngpu/protocol/harq/security/tokenEnvelope";
import { encodeHeader } from "@ngpu/protocol/harq/wire/datagramHeader";
import { createChachaSealer } from "@ngpu/protocol/service/harq/chachaSealer";
import { aConnection, data, quiet, rate, ready } from "../support/connections.ts";
import { createDoubling } from "../support/controllers.ts";
import { keyedProtections } from "../support/keyedProtections.ts";
import { keptMemory } from "../support/keptMemory.ts";
import { createRandom } from "../support/random.ts";
import { createWorld, sha256Of, type World, type WorldPath } from "../support/world.ts";

const random = createRandom(21);
/** Id of what comes in, and that of what leaves, at whoever listens. */
const open = 7n;
const asker = 8n;
const tokens = createPathTokens({ sealer: createChachaSealer(random.bytes(32)), randomBytes: random.bytes });
const budgetOf = { bytesPerSecond: 1_000, burstBytes: 3_000, hashKey: 77, buckets: 256 };

test("ten thousand spoofed sources get at most what they sent and what the budget holds, and leave no state", () => {
  const gate = aGate();
  const connection = aConnection(open);
  const stolen = tokens.issue({ prefix: addressPrefix("198.51.100.9")!, connectionId: open, nowUs: 0 });
  let answered = 0;
  let sentBytes = 0;
  const flood = (from: number, to: number): void => {
    for (let source = from; source < to; source += 1) {
      const address = `${11 + (source >> 16)}.${(source >> 8) & 255}.${source & 255}.1`;
      let credit = 0;
      for (const bytes of forgeries(stolen)) {
        credit += bytes.length;
        const admission = gate.judge({ address, bytes, nowUs: 1_000 });
        if (admission.verdict === "admit") throw new Error(`admitted ${address}`);
        if (admission.verdict === "drop") continue;
        if (admission.reply.length > bytes.length) throw new Error("an answer larger than its cause");
        credit -= admission.reply.length;
        sentBytes += admission.reply.length;
        answered += 1;
      }
      if (credit < 0) throw new Error(`more went to ${address} than came from it`);
    }
  };
  flood(0, 10_000);
  expect(answered, "some were told to retry").to.be.above(100);
  const keptBytes = keptMemory();
  flood(10_000, 40_000);
  expect(keptMemory() - keptBytes, "nothing is kept of an address").to.be.below(1_000_000);
  expect(sentBytes).to.be.at.most(budgetOf.buckets * budgetOf.burstBytes);
  expect(connection.paths.size).to.equal(0);
});

test("fifty thousand spoofed datagrams in a second cost less than a fifth of a core", () => {
  const gate = aGate();
  const addresses = Array.from({ length: 10_000 }, (_, at) => `${20 + (at >> 16)}.${(at >> 8) & 255}.${at & 255}.1`);
  const kinds = [known, garbage, unknown];
  const judge = (count: number): void => {
    for (let at = 0; at < count; at += 1) {
      const address = addresses[at % addresses.length]!;
      gate.judge({ address, bytes: kinds[at % kinds.length]!, nowUs: 20 * at });
    }
  };
  judge(20_000);
  const before = process.cpuUsage();
  judge(50_000);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1e6).to.be.below(0.2);
});

test("of a connection that is not here, of a RETRY, and of what is no datagram nothing is said", () => {
  const gate = aGate();
  const token = tokens.issue({ prefix: addressPrefix("203.0.113.7")!, connectionId: 8n, nowUs: 0 });
  const aRetry = encodeRetry({ connectionId: open, packetNumber: 1, path: 0 }, token);
  const silent = [
    aDatagram(8n),
    wrapInToken(token, aDatagram(8n)),
    aRetry,
    wrapInToken(token, aRetry),
    wrapInToken(token, wrapInToken(token, aDatagram(open))),
    wrapInToken(token, new Uint8Array(0)),
    aDatagram(open).subarray(0, 31),
    new Uint8Array(0),
    new Uint8Array(1_200),
  ];
  for (const bytes of silent) {
    expect(gate.judge({ address: "203.0.113.7", bytes, nowUs: 0 }).verdict).to.equal("drop");
  }
  const bytes = aDatagram(open);
  expect(gate.judge({ address: "nowhere", bytes, nowUs: 0 }).verdict).to.equal("drop");
  const cut = (length: number): string =>
    gate.judge({ address: "203.0.113.7", bytes: bytes.subarray(0, length), nowUs: 0 }).verdict;
  expect([cut(retryBytes - 1), cut(retryBytes)], "no answer larger than its cause").to.deep.equal(["drop", "retry"]);
});

test("a token replayed from another network, after thirty seconds or for another connection gets a RETRY", () => {
  const gate = createGate({ tokens, budget: createPrefixBudget(budgetOf), peerOf: (id) => (id === open || id === 9n ? asker : undefined) });
  const address = "203.0.113.7";
  const token = tokens.issue({ prefix: addressPrefix(address)!, connectionId: open, nowUs: 0 });
  const shown = wrapInToken(token, aDatagram(open));
  const good = gate.judge({ address: "203.0.113.99", bytes: shown, nowUs: 30_000_000 });
  expect(good).to.deep.equal({ verdict: "admit", connectionId: open, datagram: shown.subarray(envelopeBytes) });
  const refused = [
    { address: "203.0.114.7", bytes: shown, nowUs: 1 },
    { address: "2001:db8::7", bytes: shown, nowUs: 1 },
    { address, bytes: shown, nowUs: 30_000_001 },
    { address, bytes: wrapInToken(token, aDatagram(9n)), nowUs: 1 },
  ];
  for (const arrival of refused) {
    const admission = gate.judge(arrival);
    if (admission.verdict !== "retry") throw new Error(admission.verdict);
    expect(admission.reply.length).to.equal(retryBytes);
    expect(decodeRetry(admission.reply)!.connectionId, "routable at whoever asked").to.equal(asker);
    expect(admission.reply.length).to.be.below(arrival.bytes.length);
  }
});

test("an address without a token is told to retry, shows what it got, and carries the message", () => {
  const { world, path, log } = aGatedWorld();
  world.near.send(data);
  expect(world.runUntil(() => world.far.deliveries.length === 1, 10_000_000)).to.equal(true);
  expect(world.far.deliveries[0]!.sha256).to.equal(sha256Of(data));
  expect([log.retries, log.admissions].every((count) => count >= 1)).to.equal(true);
  expect(log.retries).to.be.at.most(2);
  expect(log.largestBytes, "a token makes no packet larger than the path carries").to.be.at.most(1_200);
  expect(path.back.wireBytes()).to.be.above(0);
  expect(world.near.connection.paths.get(0)!.token, "shown no longer than it must be").to.equal(undefined);
});

test("a token that came with the handshake saves that round trip", () => {
  const token = tokens.issue({ prefix: addressPrefix("203.0.113.7")!, connectionId: open, nowUs: 0 });
  const { world, log } = aGatedWorld(token);
  ready(world, [0]);
  expect(log.retries).to.equal(0);
  const withToken = world.queue.nowUs();
  const without = aGatedWorld();
  ready(without.world, [0]);
  expect(without.world.queue.nowUs() - withToken).to.be.at.least(1.9 * quiet.delayUs);
});

test("an address that changes in the middle of a message proves itself anew, and the message arrives once", () => {
  const { world, log, move } = aGatedWorld();
  ready(world, [0]);
  world.near.send(data);
  world.runUntil(() => world.near.connection.counts.sourceBytes > 100_000, 5_000_000);
  const { retries } = log;
  move("198.51.100.20");
  expect(world.runUntil(() => world.far.deliveries.length === 1, world.queue.nowUs() + 20_000_000)).to.equal(true);
  expect(log.retries).to.be.above(retries);
  expect(log.bound).to.equal("198.51.100.20");
  world.runUntil(() => false, world.queue.nowUs() + 5_000_000);
  expect(world.far.deliveries.map(({ sha256 }) => sha256)).to.deep.equal([sha256Of(data)]);
});

test("a forged RETRY is believed only of what was sent, and costs a challenge at most ten times a second", () => {
  const world = aKeyedWorld();
  world.openPath(0, { there: quiet });
  ready(world, [0]);
  const { connection } = world.near;
  const sent = connection.paths.get(0)!.nextNumber - 1;
  const retry = (connectionId: bigint, packetNumber: number, path = 0): Uint8Array =>
    encodeRetry({ connectionId, packetNumber, path }, random.bytes(pathTokenBytes));
  const feed = (bytes: Uint8Array): number =>
    step(connection, { type: "datagram", path: 0, bytes }, world.queue.nowUs()).datagrams.length;
  const forged = [retry(open, sent), retry(asker, sent + 1), retry(asker, 2 ** 47), retry(asker, sent, 3)];
  for (const false_ of forged) {
    const { refused } = connection.counts;
    expect([feed(false_), connection.counts.refused - refused]).to.deep.equal([0, 1]);
    expect(decodeRetry(false_)!.token.length).to.equal(pathTokenBytes);
  }
  let challenges = 0;
  for (let time = 0; time < 500; time += 1) challenges += feed(retry(asker, sent));
  expect(challenges).to.equal(1);
  expect(connection.paths.get(0)!.isValidated).to.equal(true);
  world.near.send(data);
  expect(world.runUntil(() => world.far.deliveries.length === 1, world.queue.nowUs() + 10_000_000)).to.equal(true);
});

test("an envelope is taken off whole, and what is too short for one is left as it is", () => {
  const token = random.bytes(pathTokenBytes);
  const inner = aDatagram(open);
  expect(unwrapToken(wrapInToken(token, inner))).to.deep.equal({ token, datagram: inner });
  expect(unwrapToken(inner)).to.deep.equal({ datagram: inner });
  const short = wrapInToken(token, inner).subarray(0, envelopeBytes - 1);
  expect(unwrapToken(short)).to.deep.equal({ datagram: short });
});

function aGate(): Gate {
  return createGate({ tokens, budget: createPrefixBudget(budgetOf), peerOf: (id) => (id === open ? asker : undefined) });
}

function aDatagram(connectionId: bigint, packetNumber = 1, path = 0): Uint8Array {
  const header = encodeHeader({ type: "probe", keyPhase: 0, connectionId, packetNumber, path });
  return new Uint8Array([...header, ...random.bytes(60)]);
}

const known = aDatagram(open);
const unknown = aDatagram(6n);
const garbage = random.bytes(1_200);

/** What somebody may send who has seen neither keys nor tokens, or somebody else's token. */
function forgeries(stolen: Uint8Array): Uint8Array[] {
  return [known, wrapInToken(stolen, known), wrapInToken(garbage.subarray(0, pathTokenBytes), known), unknown, garbage];
}

function aKeyedWorld(): World {
  const createController = createDoubling({ bytesPerSecond: 0.9 * rate });
  return createWorld({ seed: 1, createController, protections: keyedProtections(5, {}) });
}

/** A path to a far end behind a gate, from an address that may change. */
function aGatedWorld(token?: Uint8Array) {
  const world = aKeyedWorld();
  const gate = aGate();
  const log = { retries: 0, admissions: 0, largestBytes: 0, bound: "" };
  let address = "203.0.113.7";
  const path: WorldPath = world.openPath(0, { there: { ...quiet, isDown: true } });
  world.near.feed({ type: "closePath", path: 0 });
  for (const link of [path.there, path.back]) link.change({ isDown: false });
  const { send } = path.there;
  const { feed } = world.far;
  const sentFrom = new WeakMap<Uint8Array, string>();
  path.there.send = (bytes) => {
    log.largestBytes = Math.max(log.largestBytes, bytes.length);
    sentFrom.set(bytes, address);
    send(bytes);
  };
  world.far.feed = (input) => {
    if (input.type !== "datagram") return feed(input);
    const from = sentFrom.get(input.bytes)!;
    if (from === log.bound) return feed(input);
    const admission = gate.judge({ address: from, bytes: input.bytes, nowUs: world.queue.nowUs() });
    if (admission.verdict === "retry") {
      log.retries += 1;
      path.back.send(admission.reply);
    }
    if (admission.verdict !== "admit") return;
    if (!isAuthentic(world.far.connection, { path: 0, bytes: admission.datagram })) return;
    if (log.bound !== "") feed({ type: "movePath", path: 0 });
    log.admissions += 1;
    log.bound = from;
    feed({ ...input, bytes: admission.datagram });
  };
  world.near.feed({ type: "openPath", path: 0, kind: "datagram", ...(token === undefined ? {} : { token }) });
  return { world, path, log, move: (to: string) => void (address = to) };
}

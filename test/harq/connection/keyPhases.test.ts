/** Keys change without a pause, whatever is lost, and nobody but the ends can move them. */
import { test } from "node:test";
import { expect } from "chai";
import { keyLifetime } from "@ngpu/protocol/harq/connection/keyPhases";
import { createProtection, type Outbound, type Protection } from "@ngpu/protocol/harq/connection/protection";
import { createDirectionKeys } from "@ngpu/protocol/harq/security/directionKeys";
import { decodeHeader } from "@ngpu/protocol/harq/wire/datagramHeader";
import { nodePrimitives } from "@ngpu/protocol/service/harq/nodePrimitives";
import { ready } from "../support/connections.ts";
import { createDoubling } from "../support/controllers.ts";
import { keyedProtections } from "../support/keyedProtections.ts";
import { bernoulli, type LinkConditions } from "../support/lossyLink.ts";
import { createRandom } from "../support/random.ts";
import { createWorld, sha256Of, type World } from "../support/world.ts";

const rate = 400_000;
const calm: LinkConditions = { delayUs: 4_000, bytesPerSecond: rate, queueBytes: 100_000 };
const ptoUs = (): number => 40_000;
const body = Uint8Array.of(1, 2, 3);

test("a hundred changes whose first two exchanges are lost leave both ends in step, and every message whole", () => {
  const { world, near, far } = aKeyedWorld({ packets: 24 });
  const path = world.openPath(0, { there: calm });
  ready(world, [0]);
  const { send } = path.there;
  const askings = new Map<number, number>();
  path.there.send = (bytes) => {
    const isAsking = near.asked.has(bytes);
    if (!isAsking) return send(bytes);
    const phase = near.phases!.sending() + 1;
    const count = (askings.get(phase) ?? 0) + 1;
    askings.set(phase, count);
    path.back.change({ isDown: count === 2 });
    if (count > 1) send(bytes);
  };
  const messages = sendUntil(world, () => near.phases!.sending() >= 100);
  expect(near.phases!.sending()).to.be.at.least(100);
  expect([...askings.values()].slice(0, 100).every((count) => count >= 3)).to.equal(true);
  path.back.change({ isDown: false });
  settle(world, messages);
  expect(far.phases!.receiving()).to.equal(near.phases!.sending());
  expect(near.early + far.early, "sealed before the peer had said that it can open it").to.equal(0);
  expect(world.near.connection.counts.refused + world.far.connection.counts.refused).to.equal(0);
});

test("a hundred changes at a tenth of loss in both directions lose no message and leave nothing unopened", () => {
  const { world, near, far } = aKeyedWorld({ packets: 24 });
  const lossy = (seed: number) => ({ ...calm, jitterUs: 3_000, loss: bernoulli(createRandom(seed), 0.1) });
  world.openPath(0, { there: lossy(4), back: lossy(5) });
  ready(world, [0]);
  const messages = sendUntil(world, () => near.phases!.sending() >= 100);
  expect(near.phases!.sending()).to.be.at.least(100);
  settle(world, messages);
  expect(far.phases!.sending(), "the other direction counts for itself").to.be.above(10);
  expect(far.phases!.receiving()).to.equal(near.phases!.sending());
  expect(near.early + far.early).to.equal(0);
  expect(world.near.connection.counts.refused + world.far.connection.counts.refused).to.equal(0);
});

test("keys change after 2^24 packets or an hour, whichever comes first, and not before", () => {
  expect(keyLifetime).to.deep.equal({ packets: 2 ** 24, ageUs: 3_600_000_000 });
  const { near } = keyedProtections(1, { packets: 10 });
  near.phases!.tick(0, ptoUs);
  for (let at = 0; at < 9; at += 1) near.seal(packet(at));
  near.phases!.tick(1, ptoUs);
  expect(near.phases!.takeAsking(1)).to.equal(undefined);
  near.seal(packet(9));
  near.phases!.tick(2, ptoUs);
  expect(near.phases!.takeAsking(2)).to.equal(1);
  const aged = keyedProtections(1, {}).near;
  aged.phases!.tick(5, ptoUs);
  aged.phases!.tick(4 + keyLifetime.ageUs, ptoUs);
  expect(aged.phases!.askingDueUs()).to.equal(Infinity);
  aged.phases!.tick(5 + keyLifetime.ageUs, ptoUs);
  expect(aged.phases!.takeAsking(5 + keyLifetime.ageUs)).to.equal(1);
});

test("nothing is sealed in the next phase but the question for it, until the peer has reported that", () => {
  const { near, far } = anAskingPair();
  const asking = near.seal(packet(20, true));
  expect(bitOf(asking)).to.equal(1);
  expect(bitOf(near.seal(packet(21)))).to.equal(0);
  for (const phase of [0, 2, 3]) near.phases!.onAcknowledged(phase, 3);
  expect([near.phases!.sending(), bitOf(near.seal(packet(22)))]).to.deep.equal([0, 0]);
  expect(open(far, asking)).to.deep.equal(body);
  near.phases!.onAcknowledged(1, 3);
  expect([near.phases!.sending(), bitOf(near.seal(packet(23)))]).to.deep.equal([1, 1]);
  expect(open(far, near.seal(packet(24)))).to.deep.equal(body);
});

test("a former key opens what is late for three probe timeouts after it was last needed, and nothing later", () => {
  const { near, far } = anAskingPair();
  const [late, later, latest] = [30, 31, 32].map((number) => near.seal(packet(number)));
  open(far, near.seal(packet(33, true)));
  far.phases!.tick(1_000_000, ptoUs);
  far.phases!.tick(1_120_000, ptoUs);
  expect(open(far, late!)).to.deep.equal(body);
  far.phases!.tick(1_120_000, ptoUs);
  far.phases!.tick(1_240_000, ptoUs);
  expect(open(far, later!)).to.deep.equal(body);
  far.phases!.tick(1_240_000, ptoUs);
  far.phases!.tick(1_360_001, ptoUs);
  expect(open(far, latest!)).to.equal(undefined);
});

test("a forged phase bit changes nothing, however often it is tried and whatever else is changed", () => {
  const { near, far } = anAskingPair();
  const random = createRandom(11);
  for (let number = 40; number < 2_000; number += 1) {
    const forged = near.seal(packet(number));
    forged[0]! ^= 0x20;
    if (random.chance(0.5)) forged[random.integer(16, forged.length - 1)]! ^= 1 << random.integer(0, 7);
    expect(open(far, forged)).to.equal(undefined);
  }
  expect(far.phases!.receiving()).to.equal(0);
  expect(open(far, near.seal(packet(2_000)))).to.deep.equal(body);
  open(far, near.seal(packet(2_001, true)));
  near.phases!.onAcknowledged(1, 3);
  const back = near.seal(packet(2_002));
  back[0]! ^= 0x20;
  expect(open(far, back)).to.equal(undefined);
  expect([far.phases!.receiving(), open(far, near.seal(packet(2_003)))]).to.deep.equal([1, body]);
});

test("keys that have no successor are never asked to change", () => {
  const { connectionId, salt, sealer } = createDirectionKeys(nodePrimitives, { secret: body, connectionId: 7n });
  const single = { connectionId, salt, sealer };
  const end = createProtection({ send: single, receive: single, lifetime: { packets: 1 } });
  for (let at = 0; at < 5; at += 1) {
    expect(open(end, end.seal(packet(at)))).to.deep.equal(body);
    end.phases!.tick(at, ptoUs);
  }
  expect([end.phases!.askingDueUs(), end.phases!.takeAsking(9)]).to.deep.equal([Infinity, undefined]);
  const flipped = end.seal(packet(9));
  flipped[0]! ^= 0x20;
  expect(open(end, flipped)).to.equal(undefined);
});

function packet(packetNumber: number, inNextPhase = false): Outbound {
  return { type: "data", path: 0, packetNumber, body, inNextPhase };
}

function open(protection: Protection, datagram: Uint8Array): Uint8Array | undefined {
  return protection.open(decodeHeader(datagram), datagram);
}

function bitOf(datagram: Uint8Array): 0 | 1 {
  return decodeHeader(datagram).keyPhase;
}

/** Two ends, the near one of which asks for its next phase. */
function anAskingPair(): { near: Protection; far: Protection } {
  const pair = keyedProtections(2, { packets: 1 });
  pair.near.phases!.tick(0, ptoUs);
  pair.near.seal(packet(0));
  pair.near.phases!.tick(1, ptoUs);
  expect(pair.near.phases!.takeAsking(1)).to.equal(1);
  return pair;
}

interface Watched extends Protection {
  /** Datagrams that asked for a phase. */
  readonly asked: WeakSet<Uint8Array>;
  /** How many others were sealed in a phase in which the peer had opened nothing. */
  early: number;
}

function aKeyedWorld(lifetime: { packets: number }) {
  const plain = keyedProtections(9, lifetime);
  const watch = (one: Protection, other: Protection): Watched => {
    const isEarly = (bit: 0 | 1): boolean => {
      const sending = one.phases!.sending();
      return sending > other.phases!.receiving() || bit !== sending % 2;
    };
    const watched: Watched = {
      phases: one.phases!,
      open: one.open,
      asked: new WeakSet(),
      early: 0,
      seal(outbound) {
        const datagram = one.seal(outbound);
        if (outbound.inNextPhase === true) watched.asked.add(datagram);
        else if (isEarly(bitOf(datagram))) watched.early += 1;
        return datagram;
      },
    };
    return watched;
  };
  const near = watch(plain.near, plain.far);
  const far = watch(plain.far, plain.near);
  const createController = createDoubling({ bytesPerSecond: 0.9 * rate });
  const world = createWorld({ seed: 12, createController, protections: { near, far } });
  return { world, near, far };
}

/** Messages one after the other until the condition holds; the bytes of each. */
function sendUntil(world: World, isReached: () => boolean): Uint8Array[] {
  const random = createRandom(13);
  const messages: Uint8Array[] = [];
  const deadlineUs = world.queue.nowUs() + 300_000_000;
  while (!isReached() && world.queue.nowUs() < deadlineUs) {
    const bytes = random.bytes(random.integer(1, 40_000));
    messages.push(bytes);
    world.near.send(bytes);
    world.runUntil(() => world.far.deliveries.length === messages.length || isReached(), deadlineUs);
  }
  return messages;
}

function settle(world: World, messages: readonly Uint8Array[]): void {
  const isDone = (): boolean => world.far.deliveries.length === messages.length;
  expect(world.runUntil(isDone, world.queue.nowUs() + 20_000_000)).to.equal(true);
  world.runUntil(() => false, world.queue.nowUs() + 5_000_000);
  expect(world.far.deliveries.map(({ sha256 }) => sha256)).to.deep.equal(messages.map(sha256Of));
}

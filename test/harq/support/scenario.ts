/** A random network and random traffic on it from one seed, and what has to hold at its end. */
import { expect } from "chai";
import type { CongestionController, ControllerOptions } from "@ngpu/protocol/harq/congestion/controller";
import { priorities } from "@ngpu/protocol/harq/message/priority";
import { createDoubling } from "./controllers.ts";
import { bernoulli, gilbertPackets, gilbertTime, type LinkConditions, type LossModel } from "./lossyLink.ts";
import { createPlainProtection } from "./plainProtection.ts";
import { createRandom, type Random } from "./random.ts";
import { createWorld, sha256Of, type Side, type World, type WorldPath } from "./world.ts";

interface Sent {
  readonly from: Side;
  readonly to: Side;
  readonly bytes: Uint8Array;
  readonly sha256: string;
  isCancelled: boolean;
  handle: number | undefined;
}

const deadlineUs = 120_000_000;

export type Controllers = (options: ControllerOptions) => CongestionController;

/** Where no controllers are given, they know what the path carries. */
export function playScenario(seed: number, controllers?: Controllers): void {
  const random = createRandom(seed);
  const bytesPerSecond = 10 ** (5.5 + 1.6 * random.unit());
  const world = createWorld({
    seed: seed + 1,
    largestDatagramBytes: random.pick([1_200, 1_400]),
    createController: controllers ?? createDoubling({ bytesPerSecond: 0.85 * bytesPerSecond }),
  });
  const paths = openPaths(world, random, { bytesPerSecond, firstId: 0 });
  if (random.chance(0.3)) partition(world, random, paths);
  if (random.chance(0.2)) shrinkPackets(world, random, paths);
  if (random.chance(0.2)) reconnect(world, random, bytesPerSecond);
  const messages = schedule(world, random);
  const isSettled = ({ from, handle }: Sent): boolean =>
    handle !== undefined && from.events.some((event) => event.type === "sent" && event.handle === handle);
  const settled = world.runUntil(() => messages.every(isSettled), deadlineUs);
  expect(settled, "every message ends").to.equal(true);
  const sides = [world.near, world.far];
  world.runUntil(() => sides.every(isAtRest), world.queue.nowUs() + deadlineUs);
  for (const message of messages) checkOutcome(message);
  for (const side of sides)
    checkBounds(
      side,
      messages.filter(({ to }) => to === side),
    );
}

interface PathPlan {
  readonly bytesPerSecond: number;
  readonly firstId: number;
}

function openPaths(world: World, random: Random, { bytesPerSecond, firstId }: PathPlan): WorldPath[] {
  const count = random.pick([1, 1, 2, 3]);
  const hasStream = count > 1 && random.chance(0.25);
  return Array.from({ length: count }, (_, at) => {
    const delayUs = random.integer(2_000, 120_000);
    const isStream = hasStream && at === 0;
    const conditions = (): LinkConditions => {
      const plain = { delayUs, bytesPerSecond, queueBytes: Math.max(100_000, bytesPerSecond / 2) };
      return isStream ? { ...plain, queueBytes: Infinity } : { ...plain, ...noise(random, delayUs) };
    };
    const known = random.chance(0.5) ? { rttUs: 2 * delayUs } : {};
    return world.openPath(firstId + at, {
      kind: isStream ? "stream" : "datagram",
      there: conditions(),
      back: conditions(),
      ...known,
    });
  });
}

function noise(random: Random, delayUs: number): Partial<LinkConditions> {
  return {
    loss: lossModel(random),
    jitterUs: random.chance(0.4) ? random.integer(0, delayUs / 2) : 0,
    repeats: random.chance(0.3) ? random.unit() / 10 : 0,
    corrupts: random.chance(0.3) ? random.unit() / 50 : 0,
    ...(random.chance(0.3) ? { holds: { chance: random.unit() / 5, heldUs: random.integer(0, delayUs) } } : {}),
  };
}

function lossModel(random: Random): LossModel {
  const probability = random.pick([0.005, 0.05, 0.1, 0.3]);
  switch (random.integer(0, 3)) {
    case 0:
      return () => false;
    case 1:
      return bernoulli(random, probability);
    case 2:
      return gilbertPackets(random, { probability: Math.min(0.1, probability), burst: random.integer(2, 12) });
    default:
      return gilbertTime(random, { probability, outageUs: random.integer(2_000, 60_000) });
  }
}

function partition(world: World, random: Random, paths: readonly WorldPath[]): void {
  const fromUs = random.integer(0, 2_000_000);
  const forUs = random.integer(50_000, 4_000_000);
  const broken = random.chance(0.5) ? paths : [random.pick(paths)];
  const change = (isDown: boolean) => (): void => {
    for (const { there, back } of broken) for (const link of [there, back]) link.change({ isDown });
  };
  world.queue.at(fromUs, change(true));
  world.queue.at(fromUs + forUs, change(false));
}

function shrinkPackets(world: World, random: Random, paths: readonly WorldPath[]): void {
  const { there, back } = paths.at(-1)!;
  world.queue.at(random.integer(0, 2_000_000), () => {
    for (const link of [there, back]) link.change({ largestBytes: random.pick([1_200, 1_280, 1_300]) });
  });
}

/** A new handshake: both sides take the new keys, not at once, and speak on new paths. */
function reconnect(world: World, random: Random, bytesPerSecond: number): void {
  const atUs = random.integer(100_000, 2_500_000);
  world.queue.at(atUs, () => {
    world.far.feed({ type: "reconnect", protection: createPlainProtection(8n) });
  });
  world.queue.at(atUs + random.integer(0, 200_000), () => {
    world.near.feed({ type: "reconnect", protection: createPlainProtection(8n) });
    openPaths(world, random, { bytesPerSecond, firstId: 10 });
  });
}

function schedule(world: World, random: Random): Sent[] {
  return Array.from({ length: random.integer(1, 8) }, () => {
    const [from, to] = random.chance(0.7) ? [world.near, world.far] : [world.far, world.near];
    const bytes = random.bytes(Math.ceil(10 ** random.pick([1, 2.5, 3.5, 4, 4.5, 5.2]) * (0.1 + random.unit())));
    const sent: Sent = { from, to, bytes, sha256: sha256Of(bytes), isCancelled: false, handle: undefined };
    const atUs = random.integer(0, 1_500_000);
    world.queue.at(atUs, () => {
      sent.handle = from.send(bytes, random.pick(priorities));
    });
    if (random.chance(0.1)) {
      sent.isCancelled = true;
      world.queue.at(atUs + random.integer(0, 300_000), () =>
        from.feed({ type: "cancel", handle: sent.handle!, code: 9 }),
      );
    }
    return sent;
  });
}

function checkOutcome({ from, to, handle, sha256, isCancelled, bytes }: Sent): void {
  const outcomes = from.events.filter((event) => event.type === "sent" && event.handle === handle);
  expect(outcomes.length, "told once how it ended").to.equal(1);
  const outcome = outcomes[0]!.type === "sent" ? outcomes[0]!.outcome : undefined;
  if (!isCancelled) expect(outcome).to.equal("good");
  const times = to.deliveries.filter(
    (delivery) => delivery.sha256 === sha256 && delivery.length === bytes.length,
  ).length;
  expect(times, "delivered as often as was told").to.equal(outcome === "good" ? 1 : 0);
}

function checkBounds(side: Side, messages: readonly Sent[]): void {
  const owed = messages.reduce((total, { bytes }) => total + bytes.length + 64 * 1_152, 0);
  expect(side.mostHeldBytes()).to.be.at.most(2 * owed);
  expect(isAtRest(side), "nothing is kept, or counts as under way for ever").to.equal(true);
}

function isAtRest({ connection: { inbox, outbox, paths } }: Side): boolean {
  const inFlight = [...paths.values()].reduce((total, { book }) => total + book.inFlightBytes(), 0);
  return inbox.heldBytes() + outbox.openBytes() + inFlight === 0 && inbox.heldIds() <= 1;
}

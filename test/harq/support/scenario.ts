/** A random network and random traffic on it from one seed, and what has to hold at its end. */
import { expect } from "chai";
import type { CongestionController, ControllerOptions } from "@ngpu/protocol/harq/congestion/controller";
import { priorities } from "@ngpu/protocol/harq/message/priority";
import { createDoubling } from "./controllers.ts";
import {
  bernoulli,
  gilbertPackets,
  gilbertTime,
  linkEvents,
  type LinkConditions,
  type LinkCounts,
  type LossModel,
} from "./lossyLink.ts";
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

/** Every message ends within this of the last time that something was changed or asked for. */
const healingUs = 60_000_000;
/** Until nothing is under way any more. */
const restUs = 120_000_000;

const losses = ["none", "independent", "burstsOfPackets", "outagesOfTime"] as const;
/** What a network can be made of: how it loses, and what happens to it while messages are under way. */
export const troubles = [...losses, "partition", "packetSize", "rate", "delay", "handshake"] as const;
export type Trouble = (typeof troubles)[number];

export type Controllers = (options: ControllerOptions) => CongestionController;

/** What a scenario was, for those who ask whether scenarios are what they should be. */
export interface Played {
  /** What happened to packets, on all links together. */
  readonly counts: LinkCounts;
  readonly troubles: ReadonlySet<Trouble>;
}

/** Where no controllers are given, they know what the path carries. `patienceUs` stands in for the usual time to heal. */
export function playScenario(seed: number, controllers?: Controllers, patienceUs = healingUs): Played {
  const random = createRandom(seed);
  const bytesPerSecond = 10 ** (5.5 + 1.6 * random.unit());
  const world = createWorld({
    seed: seed + 1,
    largestDatagramBytes: random.pick([1_200, 1_400]),
    createController: controllers ?? createDoubling({ bytesPerSecond: 0.85 * bytesPerSecond }),
  });
  const network: Network = { world, random, bytesPerSecond, paths: [], troubles: new Set(), lastChangeUs: 0 };
  const paths = openPaths(network, 0);
  if (random.chance(0.3)) partition(network, paths);
  if (random.chance(0.2)) shrinkPackets(network, paths);
  if (random.chance(0.2)) changeRate(network, paths, controllers === undefined ? [0.8, 1.5] : [0.25, 0.5, 2]);
  if (random.chance(0.1)) changeDelay(network, paths);
  if (random.chance(0.2)) reconnect(network);
  const messages = schedule(network);
  const isSettled = ({ from, handle }: Sent): boolean =>
    handle !== undefined && from.events.some((event) => event.type === "sent" && event.handle === handle);
  const settled = world.runUntil(() => messages.every(isSettled), network.lastChangeUs + patienceUs);
  expect(settled, "every message ends, once the network is whole again").to.equal(true);
  const sides = [world.near, world.far];
  world.runUntil(() => sides.every(isAtRest), world.queue.nowUs() + restUs);
  for (const message of messages) checkOutcome(message);
  for (const side of sides) checkMemory(side, messages.filter(({ to }) => to === side));
  checkBytes(sides, messages);
  return { counts: countsOf(network), troubles: network.troubles };
}

/** What is there, and until when somebody breaks it or asks something of it. */
interface Network {
  readonly world: World;
  readonly random: Random;
  readonly bytesPerSecond: number;
  readonly paths: WorldPath[];
  readonly troubles: Set<Trouble>;
  lastChangeUs: number;
}

function openPaths(network: Network, firstId: number): WorldPath[] {
  const { world, random, bytesPerSecond } = network;
  const count = random.pick([1, 1, 2, 3]);
  const hasStream = count > 1 && random.chance(0.25);
  const opened = Array.from({ length: count }, (_, place) => {
    const delayUs = random.integer(2_000, 120_000);
    const isStream = hasStream && place === 0;
    const conditions = (): LinkConditions => {
      const queueBytes = random.pick([6_000, 40_000, Math.max(100_000, bytesPerSecond / 2)]);
      const plain = { delayUs, bytesPerSecond, queueBytes };
      return isStream ? { ...plain, queueBytes: Infinity } : { ...plain, ...noise(network, delayUs) };
    };
    const known = random.chance(0.5) ? { rttUs: 2 * delayUs } : {};
    return world.openPath(firstId + place, {
      kind: isStream ? "stream" : "datagram",
      there: conditions(),
      back: conditions(),
      ...known,
    });
  });
  network.paths.push(...opened);
  return opened;
}

function noise(network: Network, delayUs: number): Partial<LinkConditions> {
  const { random } = network;
  return {
    loss: lossModel(network),
    jitterUs: random.chance(0.4) ? random.integer(0, delayUs / 2) : 0,
    repeats: random.chance(0.3) ? random.unit() / 10 : 0,
    corrupts: random.chance(0.3) ? random.unit() / 50 : 0,
    ...(random.chance(0.3) ? { holds: { chance: random.unit() / 5, heldUs: random.integer(0, delayUs) } } : {}),
  };
}

function lossModel({ random, troubles }: Network): LossModel {
  const probability = random.pick([0.005, 0.05, 0.1, 0.3]);
  const kind = random.pick(losses);
  troubles.add(kind);
  switch (kind) {
    case "none":
      return () => false;
    case "independent":
      return bernoulli(random, probability);
    case "burstsOfPackets":
      return gilbertPackets(random, { probability: Math.min(0.1, probability), burst: random.integer(2, 12) });
    case "outagesOfTime":
      return gilbertTime(random, { probability, outageUs: random.integer(2_000, 60_000) });
  }
}

/** Something that happens to links at a time of the first seconds. */
function change(network: Network, paths: readonly WorldPath[], atUs: number, changed: () => Partial<LinkConditions>): void {
  network.lastChangeUs = Math.max(network.lastChangeUs, atUs);
  network.world.queue.at(atUs, () => {
    for (const { there, back } of paths) for (const link of [there, back]) link.change(changed());
  });
}

function partition(network: Network, paths: readonly WorldPath[]): void {
  const { random } = network;
  network.troubles.add("partition");
  const fromUs = random.integer(0, 2_000_000);
  const forUs = random.integer(50_000, 4_000_000);
  const broken = random.chance(0.5) ? paths : [random.pick(paths)];
  change(network, broken, fromUs, () => ({ isDown: true }));
  change(network, broken, fromUs + forUs, () => ({ isDown: false }));
}

function shrinkPackets(network: Network, paths: readonly WorldPath[]): void {
  const { random } = network;
  network.troubles.add("packetSize");
  const largest = (): Partial<LinkConditions> => ({ largestBytes: random.pick([1_200, 1_280, 1_300]) });
  change(network, paths.slice(-1), random.integer(0, 2_000_000), largest);
}

function changeRate(network: Network, paths: readonly WorldPath[], factors: readonly number[]): void {
  const { random } = network;
  network.troubles.add("rate");
  const bytesPerSecond = network.bytesPerSecond * random.pick(factors);
  change(network, paths, random.integer(0, 2_000_000), () => ({ bytesPerSecond }));
}

/** As when a route changes: what is under way is overtaken, or falls behind. */
function changeDelay(network: Network, paths: readonly WorldPath[]): void {
  const { random } = network;
  network.troubles.add("delay");
  const delayUs = random.integer(2_000, 120_000);
  change(network, [random.pick(paths)], random.integer(0, 2_000_000), () => ({ delayUs }));
}

/** A new handshake: both sides take the new keys, not at once, and speak on new paths. */
function reconnect(network: Network): void {
  const { world, random } = network;
  network.troubles.add("handshake");
  const atUs = random.integer(100_000, 2_500_000);
  world.queue.at(atUs, () => {
    world.far.feed({ type: "reconnect", protection: createPlainProtection(8n) });
  });
  network.lastChangeUs = Math.max(network.lastChangeUs, atUs + 200_000);
  world.queue.at(atUs + random.integer(0, 200_000), () => {
    world.near.feed({ type: "reconnect", protection: createPlainProtection(8n) });
    openPaths(network, 10);
  });
}

function schedule(network: Network): Sent[] {
  const { world, random } = network;
  return Array.from({ length: random.integer(1, 8) }, () => {
    const [from, to] = random.chance(0.7) ? [world.near, world.far] : [world.far, world.near];
    const bytes = random.bytes(Math.ceil(10 ** random.pick([1, 2.5, 3.5, 4, 4.5, 5.2]) * (0.1 + random.unit())));
    const sent: Sent = { from, to, bytes, sha256: sha256Of(bytes), isCancelled: false, handle: undefined };
    const atUs = random.integer(0, 1_500_000);
    network.lastChangeUs = Math.max(network.lastChangeUs, atUs);
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

function countsOf({ paths }: Network): LinkCounts {
  const all = paths.flatMap(({ there, back }) => [there.counts(), back.counts()]);
  const total = (what: keyof LinkCounts): number => all.reduce((sum, counts) => sum + counts[what], 0);
  return Object.fromEntries(linkEvents.map((what) => [what, total(what)])) as LinkCounts;
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

/** What both sides put on their paths, for what was asked of them: symbols, answers, proofs of paths and probes. */
function checkBytes(sides: readonly Side[], messages: readonly Sent[]): void {
  const sentBytes = sides.reduce((total, { connection }) => total + connection.counts.sentBytes, 0);
  expect(sentBytes, "bytes stay within bounds").to.be.at.most(8 * payloadOf(messages) + 64_000 * messages.length);
}

function checkMemory(side: Side, messages: readonly Sent[]): void {
  const paddingBytes = 16_384 * messages.length;
  expect(side.mostHeldBytes(), "memory is bounded").to.be.at.most(2 * (payloadOf(messages) + paddingBytes));
  expect(isAtRest(side), "nothing is kept, or counts as under way for ever").to.equal(true);
}

function payloadOf(messages: readonly Sent[]): number {
  return messages.reduce((total, { bytes }) => total + bytes.length, 0);
}

function isAtRest({ connection: { inbox, outbox, paths } }: Side): boolean {
  const inFlight = [...paths.values()].reduce((total, { book }) => total + book.inFlightBytes(), 0);
  return inbox.heldBytes() + outbox.openBytes() + inFlight === 0 && inbox.heldIds() <= 1;
}

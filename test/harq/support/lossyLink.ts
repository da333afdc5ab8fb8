/**
 * One direction of a path: rate with a queue, loss, delay with jitter, repeats, changed bytes, outages, a packet
 * size.
 */
import { createBottleneck, type Bottleneck } from "./bottleneck.ts";
import type { EventQueue } from "./eventQueue.ts";
import type { Random } from "./random.ts";

/** Asked once a packet; true: lost. */
export type LossModel = (nowUs: number) => boolean;

export interface LinkConditions {
  readonly delayUs: number;
  readonly jitterUs?: number;
  readonly bytesPerSecond: number;
  readonly queueBytes: number;
  readonly loss?: LossModel;
  /** Chance of a packet to be held back by `heldUs`. */
  readonly holds?: { readonly chance: number; readonly heldUs: number };
  readonly repeats?: number;
  readonly corrupts?: number;
  readonly largestBytes?: number;
  readonly isDown?: boolean;
  /** Shared with other flows, in place of the link's own rate and queue. */
  readonly bottleneck?: Bottleneck;
}

export interface Link {
  send(bytes: Uint8Array): void;
  change(conditions: Partial<LinkConditions>): void;
  /** Bytes that left the queue onto the wire, lost ones included. */
  wireBytes(): number;
  counts(): LinkCounts;
}

/** What can happen to a packet; `overtaken`: one that left later arrives before it. */
export const linkEvents = [
  "overflowed",
  "tooLarge",
  "lost",
  "whileDown",
  "held",
  "repeated",
  "corrupted",
  "overtaken",
] as const;

/** Packets to which each of these happened. */
export type LinkCounts = Readonly<Record<(typeof linkEvents)[number], number>>;

export interface LinkOptions {
  readonly queue: EventQueue;
  readonly random: Random;
  readonly conditions: LinkConditions;
  readonly deliver: (bytes: Uint8Array) => void;
}

export function createLink({ queue, random, conditions: initial, deliver }: LinkOptions): Link {
  let conditions = initial;
  const own = createBottleneck(queue, conditions);
  let wireBytes = 0;
  let latestUs = 0;
  const counts = Object.fromEntries(linkEvents.map((what) => [what, 0])) as Record<keyof LinkCounts, number>;
  const happens = (what: keyof LinkCounts): true => {
    counts[what] += 1;
    return true;
  };
  const pass = (bytes: Uint8Array, sentUs: number): void => {
    const { delayUs, jitterUs = 0, holds, loss, corrupts = 0, isDown = false } = conditions;
    if (isDown) return void happens("whileDown");
    if (loss?.(sentUs) === true) return void happens("lost");
    const heldUs = holds !== undefined && random.chance(holds.chance) && happens("held") ? holds.heldUs : 0;
    const arrivesUs = sentUs + delayUs + heldUs + (jitterUs > 0 ? random.unit() * jitterUs : 0);
    const isCorrupted = corrupts > 0 && random.chance(corrupts) && happens("corrupted");
    const arriving = isCorrupted ? corrupted(bytes, random) : bytes;
    if (arrivesUs < latestUs) happens("overtaken");
    latestUs = Math.max(latestUs, arrivesUs);
    queue.at(arrivesUs, () => {
      if (conditions.isDown === true) happens("whileDown");
      else deliver(arriving);
    });
  };
  return {
    send(bytes) {
      const { bottleneck = own, repeats = 0, largestBytes = Infinity } = conditions;
      if (bytes.length > largestBytes) return void happens("tooLarge");
      const leavesUs = bottleneck.pass(bytes.length);
      if (leavesUs === undefined) return void happens("overflowed");
      wireBytes += bytes.length;
      pass(bytes, leavesUs);
      if (repeats > 0 && random.chance(repeats) && happens("repeated")) pass(bytes, leavesUs);
    },
    change(changed) {
      conditions = { ...conditions, ...changed };
      own.change(changed);
    },
    wireBytes: () => wireBytes,
    counts: () => ({ ...counts }),
  };
}

function corrupted(bytes: Uint8Array, random: Random): Uint8Array {
  const changed = bytes.slice();
  changed[random.integer(0, bytes.length - 1)]! ^= 1 << random.integer(0, 7);
  return changed;
}

export function bernoulli(random: Random, probability: number): LossModel {
  return () => random.chance(probability);
}

/** Bursts counted in packets: mean loss `probability`, mean burst `burst`. */
export function gilbertPackets(
  random: Random,
  { probability, burst }: { probability: number; burst: number },
): LossModel {
  let isBad = false;
  const leave = 1 / burst;
  const enter = (leave * probability) / (1 - probability);
  return () => {
    isBad = isBad ? !random.chance(leave) : random.chance(enter);
    return isBad;
  };
}

/** Bursts counted in time: outages of `outageUs` on average that take `probability` of the time. */
export function gilbertTime(
  random: Random,
  { probability, outageUs }: { probability: number; outageUs: number },
): LossModel {
  let isBad = false;
  let untilUs = 0;
  const goodUs = (outageUs * (1 - probability)) / probability;
  return (nowUs) => {
    while (untilUs <= nowUs) {
      isBad = untilUs > 0 && !isBad;
      untilUs += -Math.log(1 - random.unit()) * (isBad ? outageUs : goodUs);
    }
    return isBad;
  };
}

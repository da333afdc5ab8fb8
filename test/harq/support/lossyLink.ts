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
}

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
  const pass = (bytes: Uint8Array, sentUs: number): void => {
    const { delayUs, jitterUs = 0, holds, loss, corrupts = 0, isDown = false } = conditions;
    if (isDown || loss?.(sentUs) === true) return;
    const heldUs = holds !== undefined && random.chance(holds.chance) ? holds.heldUs : 0;
    const arrivesUs = sentUs + delayUs + heldUs + (jitterUs > 0 ? random.unit() * jitterUs : 0);
    const arriving = corrupts > 0 && random.chance(corrupts) ? corrupted(bytes, random) : bytes;
    queue.at(arrivesUs, () => {
      if (!(conditions.isDown ?? false)) deliver(arriving);
    });
  };
  return {
    send(bytes) {
      const { bottleneck = own, repeats = 0, largestBytes = Infinity } = conditions;
      const leavesUs = bytes.length > largestBytes ? undefined : bottleneck.pass(bytes.length);
      if (leavesUs === undefined) return;
      wireBytes += bytes.length;
      pass(bytes, leavesUs);
      if (repeats > 0 && random.chance(repeats)) pass(bytes, leavesUs);
    },
    change(changed) {
      conditions = { ...conditions, ...changed };
      own.change(changed);
    },
    wireBytes: () => wireBytes,
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

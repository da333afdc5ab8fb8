/**
 * One direction of a path, as arithmetic: a queue of so many bytes, a rate at which it empties, loss behind it (what is
 * lost has used the link) and a delay. Packets keep their order.
 */
import { createLossModel, type LossModel } from "./lossModel.ts";

export interface LinkConditions {
  readonly bytesPerSecond: number;
  /** One way. */
  readonly delayUs: number;
  /** Up to so much more, evenly spread; order is kept. */
  readonly jitterUs?: number;
  /** The longest queue before the link; what does not fit is dropped. */
  readonly queueBytes: number;
  readonly loss: LossModel;
}

export interface LinkCounts {
  arrived: number;
  arrivedBytes: number;
  lost: number;
  overflowed: number;
}

export interface ImpairedLink {
  /** When the packet comes out at the other end; undefined: never. */
  arrive(bytes: number, nowUs: number): number | undefined;
  readonly counts: Readonly<LinkCounts>;
}

export function createImpairedLink(conditions: LinkConditions, random: () => number): ImpairedLink {
  const { bytesPerSecond, delayUs, jitterUs = 0, queueBytes } = conditions;
  const isLost = createLossModel(conditions.loss, random);
  const counts: LinkCounts = { arrived: 0, arrivedBytes: 0, lost: 0, overflowed: 0 };
  const perByteUs = 1e6 / bytesPerSecond;
  let busyUs = -Infinity;
  let lastDueUs = -Infinity;
  return {
    counts,
    arrive(bytes, nowUs) {
      counts.arrived += 1;
      counts.arrivedBytes += bytes;
      const startUs = Math.max(busyUs, nowUs);
      if ((startUs - nowUs) / perByteUs + bytes > queueBytes) {
        counts.overflowed += 1;
        return undefined;
      }
      busyUs = startUs + bytes * perByteUs;
      if (isLost(busyUs)) {
        counts.lost += 1;
        return undefined;
      }
      const jitter = jitterUs === 0 ? 0 : random() * jitterUs;
      lastDueUs = Math.max(lastDueUs, busyUs + delayUs + jitter);
      return lastDueUs;
    },
  };
}

/**
 * A wire that any number of flows share: one rate, first in first out, room for so many bytes. What comes when there is
 * no room for a packet of full size is dropped, so that small packets have no better chance than large ones.
 */
import type { EventQueue } from "./eventQueue.ts";

export interface BottleneckConditions {
  readonly bytesPerSecond: number;
  readonly queueBytes: number;
}

export interface Bottleneck {
  /** When the last of these bytes will have left; undefined where there was no room for them. */
  pass(bytes: number): number | undefined;
  change(conditions: Partial<BottleneckConditions>): void;
  waitingBytes(): number;
}

const fullBytes = 1_500;

export function createBottleneck(queue: EventQueue, initial: BottleneckConditions): Bottleneck {
  let { bytesPerSecond, queueBytes } = initial;
  let freeUs = 0;
  const waitingBytes = (): number => (Math.max(0, freeUs - queue.nowUs()) * bytesPerSecond) / 1e6;
  return {
    pass(bytes) {
      if (waitingBytes() + Math.max(bytes, fullBytes) > queueBytes) return undefined;
      freeUs = Math.max(queue.nowUs(), freeUs) + (bytes * 1e6) / bytesPerSecond;
      return freeUs;
    },
    change(changed) {
      const waiting = waitingBytes();
      bytesPerSecond = changed.bytesPerSecond ?? bytesPerSecond;
      queueBytes = changed.queueBytes ?? queueBytes;
      if (waiting > 0) freeUs = queue.nowUs() + (waiting * 1e6) / bytesPerSecond;
    },
    waitingBytes,
  };
}

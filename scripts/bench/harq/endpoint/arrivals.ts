/** What arrived at an end: whole messages, and bytes of streams by the time they came. */
import { createHash } from "node:crypto";
import type { Arrival } from "./endpointCalls.ts";
import { monotonicUs } from "./monotonicUs.ts";

export interface Arrivals {
  /** A whole message; the time is taken before anything else. */
  message(bytes: Uint8Array): void;
  piece(bytes: number): void;
  next(given: { withinMs: number }): Promise<Arrival | undefined>;
  take(): Arrival[];
  during(given: { fromUs: number; forUs: number }): Promise<number>;
}

export function createArrivals(): Arrivals {
  let messages: Arrival[] = [];
  let waiting: ((arrival: Arrival | undefined) => void) | undefined;
  const windows = new Set<{ fromUs: number; untilUs: number; bytes: number }>();
  return {
    message(bytes) {
      const atUs = monotonicUs();
      const sent = bytes.length < 8 ? 0 : new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0);
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      const arrival = { atUs, bytes: bytes.length, sha256, delayUs: atUs - sent };
      if (waiting === undefined) messages.push(arrival);
      else waiting(arrival);
    },
    piece(bytes) {
      const atUs = monotonicUs();
      for (const window of windows) if (atUs >= window.fromUs && atUs < window.untilUs) window.bytes += bytes;
    },
    next({ withinMs }) {
      const ready = messages.shift();
      if (ready !== undefined) return Promise.resolve(ready);
      return new Promise((resolve) => {
        const late = setTimeout(() => waiting?.(undefined), withinMs);
        waiting = (arrival) => {
          clearTimeout(late);
          waiting = undefined;
          resolve(arrival);
        };
      });
    },
    take() {
      const taken = messages;
      messages = [];
      return taken;
    },
    async during({ fromUs, forUs }) {
      const window = { fromUs, untilUs: fromUs + forUs, bytes: 0 };
      windows.add(window);
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, window.untilUs - monotonicUs()) / 1_000));
      windows.delete(window);
      return window.bytes;
    },
  };
}

/**
 * Lets so many things through a second, with a burst, by making the rest wait: a link that is read slowly slows its
 * peer down.
 */
import type { Clock } from "@ngpu/protocol/service/clock";

export function createPace(options: { perSecond: number; burst: number; clock: Clock }): () => Promise<void> {
  const { perSecond, burst, clock } = options;
  let left = burst;
  let countedMs = clock.monotonicMs();

  return async () => {
    const nowMs = clock.monotonicMs();
    left = Math.min(burst, left + ((nowMs - countedMs) * perSecond) / 1_000);
    countedMs = nowMs;
    left -= 1;
    if (left < 0) await clock.sleep((-left * 1_000) / perSecond);
  };
}

/**
 * How fast bytes arrive: each report gives a sample over the time its newest packet was under way, of which the
 * largest of the last ten rounds counts. A round is over when a packet arrives that left after the round began.
 */
import type { Feedback } from "./controller.ts";

export interface DeliveryRate {
  onFeedback(feedback: Feedback): RateSample | undefined;
  /** Largest of the last rounds; 0 before anything is known. */
  bytesPerSecond(): number;
  /** Forgets what was faster: the path carries `bytesPerSecond` now. */
  lowerTo(bytesPerSecond: number): void;
}

export interface RateSample {
  readonly bytesPerSecond: number;
  readonly isAppLimited: boolean;
  /** The first sample of a new round. */
  readonly isNewRound: boolean;
}

const rounds = 10;

export function createDeliveryRate(): DeliveryRate {
  let round = 0;
  /** The first round ends when something arrives that left after the first arrival was known. */
  let roundEndBytes = 1;
  let samples: { round: number; bytesPerSecond: number }[] = [];
  const largest = (): number => samples[0]?.bytesPerSecond ?? 0;
  const add = (bytesPerSecond: number): void => {
    samples = samples.filter((kept) => kept.round > round - rounds && kept.bytesPerSecond > bytesPerSecond);
    samples.push({ round, bytesPerSecond });
  };
  return {
    onFeedback({ nowUs, arrived, deliveredBytes }) {
      const newest = arrived.at(-1);
      if (newest === undefined) return undefined;
      const isNewRound = newest.deliveredBytes >= roundEndBytes;
      if (isNewRound) {
        round += 1;
        roundEndBytes = deliveredBytes;
      }
      const tookUs = Math.max(newest.sentUs - newest.flightStartUs, nowUs - newest.deliveredUs);
      if (tookUs <= 0) return undefined;
      const bytesPerSecond = ((deliveredBytes - newest.deliveredBytes) * 1e6) / tookUs;
      const { isAppLimited } = newest;
      if (!isAppLimited || bytesPerSecond >= largest()) add(bytesPerSecond);
      return { bytesPerSecond, isAppLimited, isNewRound };
    },
    bytesPerSecond: largest,
    lowerTo(bytesPerSecond) {
      if (largest() <= bytesPerSecond) return;
      samples = samples.filter((kept) => kept.bytesPerSecond < bytesPerSecond);
      samples.unshift({ round, bytesPerSecond });
    },
  };
}

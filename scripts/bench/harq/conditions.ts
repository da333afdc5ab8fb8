/** The paths of the bench, in the units that people use. */
import type { PairConditions } from "./openPair.ts";

export interface PathOptions {
  readonly mbitPerSecond?: number;
  readonly rttMs: number;
  /** In both directions, 0 to 1. */
  readonly loss: number;
  /** The queue before the link; by default what fills 200 ms of it. */
  readonly queueBytes?: number;
  readonly seed: number;
}

export function pathOf({ mbitPerSecond = 100, rttMs, loss, queueBytes, seed }: PathOptions): PairConditions {
  const bytesPerSecond = mbitPerSecond * 125_000;
  return {
    bytesPerSecond,
    delayUs: rttMs * 500,
    queueBytes: queueBytes ?? bytesPerSecond / 5,
    loss: { kind: "independent", share: loss },
    seed,
  };
}

export function describePath({ bytesPerSecond, delayUs, loss, queueBytes }: PairConditions): string {
  const queue = `${Math.round(queueBytes / 1_000)} kB queue`;
  return `${bytesPerSecond / 125_000} Mbit/s, ${delayUs / 500} ms, ${loss.share * 100} % loss both ways, ${queue}`;
}

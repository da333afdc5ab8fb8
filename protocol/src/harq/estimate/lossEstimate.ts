/**
 * How much a path loses: a Beta posterior over about the last 2,000 packets, of which the upper 90 % bound sizes
 * redundancy. Until 300 packets are known the bound may fall below the prior but not rise above it, so that an outage
 * at the start is not taken for the path's nature.
 */
import { betaQuantile } from "./betaQuantile.ts";

export interface LossMemory {
  readonly arrived: number;
  readonly lost: number;
  readonly meanBurst: number;
}

export interface LossEstimate {
  /** Fates in the order of packet numbers; true: lost. */
  observe(lost: readonly boolean[]): void;
  /** Packets taken for lost that came late after all. */
  revive(count: number): void;
  /** Upper bound, for sizing: within 0.2 % and 60 %. */
  bound(): number;
  /** Upper bound as it is: below 0.1 % nothing is repaired in advance. */
  unclampedBound(): number;
  /** Mean length of a run of losses, in packets. */
  meanBurst(): number;
  remember(): LossMemory;
}

const windowPackets = 2_000;
const enoughPackets = 300;
const windowRuns = 64;
export const priorLoss = 0.12;

export function createLossEstimate(memory?: LossMemory): LossEstimate {
  let arrived = memory?.arrived ?? 0;
  let lost = memory?.lost ?? 0;
  let known = arrived + lost;
  let runs = 4;
  let runPackets = 4 * (memory?.meanBurst ?? 1);
  let run = 0;
  let cached: number | undefined;

  const endRun = (): void => {
    if (run === 0) return;
    const kept = 1 - 1 / windowRuns;
    runs = runs * kept + 1;
    runPackets = runPackets * kept + run;
    run = 0;
  };
  const unclampedBound = (): number => {
    cached ??= betaQuantile(0.5 + lost, 0.5 + arrived, 0.9);
    return known < enoughPackets ? Math.min(priorLoss, cached) : cached;
  };

  return {
    observe(fates) {
      for (const wasLost of fates) {
        const kept = 1 - 1 / windowPackets;
        arrived = arrived * kept + (wasLost ? 0 : 1);
        lost = lost * kept + (wasLost ? 1 : 0);
        if (wasLost) run += 1;
        else endRun();
      }
      known += fates.length;
      if (fates.length > 0) cached = undefined;
    },
    revive(count) {
      const moved = Math.min(lost, count);
      lost -= moved;
      arrived += moved;
      cached = undefined;
    },
    bound: () => Math.min(0.6, Math.max(0.002, unclampedBound())),
    unclampedBound,
    meanBurst: () => runPackets / runs,
    remember: () => ({ arrived, lost, meanBurst: runPackets / runs }),
  };
}

/**
 * What an epoch needs now, as a pure function of the chain at one block:
 *   update                     → queued weights, then those that are out of date, then on to the seed
 *   seeding                    → on, as soon as the seed is there or its time is over
 *   open, over                 → on to the update; open without a seed → take the one that came late
 *   seed source refuses        → open without a seed once its time is over
 *   noted rate is half way out → note the feed's rate anew, while the feed is good
 * Nothing is due most of the time, and then nothing is sent.
 */
import type { EpochAction } from "../upkeep/upkeepAction.ts";
import type { EpochFacts } from "./epochSnapshot.ts";
import { selectionPhase } from "./selectionPhase.ts";

/** Which of it this keeper does. */
export interface EpochWork {
  phases: boolean;
  weights: boolean;
  rate: boolean;
}

/** So that what is more urgent comes in between. */
const mostWeightsAtOnce = 8;
const mostQueuedAtOnce = 32;

export function planEpochs(world: { facts: EpochFacts; work: EpochWork; gasLeft: bigint }): EpochAction[] {
  const { facts, work, gasLeft } = world;
  const rate = work.rate ? planRate(facts) : [];
  const step = work.phases ? planStep(facts) : [];
  const urgent = withinGas([...step, ...rate], gasLeft);
  const left = gasLeft - urgent.reduce((sum, action) => sum + gasOf(action), 0n);
  const weights = work.weights ? withinGas(planWeights(facts), left) : [];
  return [...weights, ...urgent.filter((action) => !mustWait(action, facts, weights))];
}

/** The most that it takes, roughly: what is booked of the budget. */
export function gasOf(action: EpochAction): bigint {
  switch (action.kind) {
    case "advance":
      return 150_000n;
    case "openWithoutSeed":
      return 100_000n;
    case "applyQueued":
      return 50_000n + 100_000n * BigInt(action.most);
    case "refreshWeight":
      return 100_000n;
    case "refreshRate":
      return 80_000n;
  }
}

function planWeights({ phase, queueLength, stale }: EpochFacts): EpochAction[] {
  if (phase !== selectionPhase.update) return [];
  // What is queued may be what is stale: applied first, read again, then the rest.
  if (queueLength > 0) return [{ kind: "applyQueued", most: Math.min(queueLength, mostQueuedAtOnce) }];
  return stale.slice(0, mostWeightsAtOnce).map(({ pool, member }) => ({ kind: "refreshWeight", pool, member }));
}

function planStep(facts: EpochFacts): EpochAction[] {
  const { phase, epoch, chainTimeS: nowS, phaseSinceS, lengths } = facts;
  const advance: EpochAction[] = [{ kind: "advance", epoch, phase }];
  const isOver = (afterS: number): boolean => nowS >= phaseSinceS + afterS;
  if (phase === selectionPhase.seeding) return facts.isSeedThere || isOver(lengths.seedTimeoutS) ? advance : [];
  if (phase === selectionPhase.open) {
    const isLate = !facts.hasSeed && facts.isSeedThere;
    return isLate || isOver(lengths.openS) ? advance : [];
  }
  if (!isOver(lengths.updateS)) return [];
  if (!facts.isRequestRefused) return advance;
  return isOver(lengths.updateS + lengths.seedTimeoutS) ? [{ kind: "openWithoutSeed", epoch }] : [];
}

/**
 * The seed is asked for when the weights are up to date, but nobody who keeps changing some holds it up for longer than
 * an update lasts, counted from when this keeper could begin with them.
 */
function mustWait(action: EpochAction, facts: EpochFacts, weights: readonly EpochAction[]): boolean {
  if (facts.phase !== selectionPhase.update || weights.length === 0) return false;
  if (action.kind !== "advance" && action.kind !== "openWithoutSeed") return false;
  const { chainTimeS, phaseSinceS, seenSinceS, lengths, queueLength, stale } = facts;
  const isOverdue = chainTimeS >= Math.max(phaseSinceS + lengths.updateS, seenSinceS) + lengths.updateS;
  return !isOverdue && (queueLength > 0 || stale.length > weights.length);
}

function planRate({ rate, chainTimeS }: EpochFacts): EpochAction[] {
  if (rate?.feedAtS === undefined || rate.feedAtS <= rate.notedAtS) return [];
  return chainTimeS >= rate.notedAtS + rate.lastGoodSeconds / 2 ? [{ kind: "refreshRate" }] : [];
}

function withinGas(actions: EpochAction[], gas: bigint): EpochAction[] {
  let left = gas;
  return actions.filter((action) => {
    const isAffordable = gasOf(action) <= left;
    if (isAffordable) left -= gasOf(action);
    return isAffordable;
  });
}

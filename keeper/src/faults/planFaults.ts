/**
 * What liveness needs now, as a pure function of the chain at one block and of what nodes answered:
 *   challenged, linked to a gateway  → asked for its answer; answered, and the refund covers the gas → relayed
 *   answered by nobody in time       → closed
 *   slashed, and past its appeal     → finished: who was harmed and who reported it have their shares
 *   eligible, and seen by no gateway → challenged with a bond, where this keeper does that
 *   credit that is worth its gas     → taken out
 */
import type { Hex } from "viem";
import type { FaultAction } from "../upkeep/upkeepAction.ts";
import type { OpenChallenge } from "./challengeFollower.ts";
import type { FaultFacts } from "./faultSnapshot.ts";
import { relayTerms } from "./relayTerms.ts";
import type { ShelvedReply } from "./replyShelf.ts";

export interface FaultWork {
  relay: boolean;
  close: boolean;
  /** Finish slashes once their appeal window has ended. */
  slashes: boolean;
  /** Report tasks that a node accepted and let expire. */
  missed: boolean;
  credits: boolean;
  /** Undefined: it challenges nobody. */
  challenge: { silentForS: number; mostWeiPerDay: bigint } | undefined;
}

interface World {
  facts: FaultFacts;
  work: FaultWork;
  replyOf: (challengeId: Hex) => ShelvedReply | undefined;
  /** Of closing and finishing, which nobody pays for. */
  gasLeft: bigint;
}

/** The chain forgets the hash of a block after 256 others. */
const oldestBlocks = 200n;
const payGas = 45_000n;
/** Two credits that are new, and a burn. */
export const finishGas = 150_000n;

export function planFaults(world: World): FaultAction[] {
  const { facts, work, gasLeft } = world;
  const { account, upkeepData } = facts;
  const closes = work.close && upkeepData !== undefined && closingGas(facts) <= gasLeft;
  return [
    ...(work.relay ? facts.challenges.flatMap((challenge) => planRelay(world, challenge)) : []),
    ...(closes ? [{ kind: "performUpkeep", performData: upkeepData } as const] : []),
    ...(work.slashes ? planSlashes(facts, closes ? gasLeft - closingGas(facts) : gasLeft) : []),
    ...planChallenges(world),
    ...(work.credits ? planCredits(facts).map((ledger) => ({ ...ledger, account })) : []),
  ];
}

/** Challenges whose nodes are to be asked: those that can be answered and have no answer that still counts. */
export function toAsk({ facts, work, replyOf }: Omit<World, "gasLeft">): OpenChallenge[] {
  if (!work.relay) return [];
  return facts.challenges.filter(
    (challenge) => facts.chainTimeS <= challenge.replyByS && goodReply({ facts, replyOf }, challenge) === undefined,
  );
}

/** What closing takes at most, roughly. */
export function closingGas({ upkeepData = "0x" }: Pick<FaultFacts, "upkeepData">): bigint {
  // Two offsets, two lengths, and a word a challenge.
  const words = BigInt((upkeepData.length - 2) / 64);
  return 60_000n + 250_000n * (words > 4n ? words - 4n : 0n);
}

/** What a relayer gets at most of the bond, at the price of gas that this keeper pays. */
export function refundWei({ baseFeeWei, gasPriceWei }: FaultFacts, bondWei: bigint): bigint {
  const { answerGas, factorBps, maxTipWei, bps } = relayTerms;
  const paidWei = min(gasPriceWei, baseFeeWei + maxTipWei);
  return min((answerGas * paidWei * factorBps) / bps, bondWei);
}

function planRelay(world: World, challenge: OpenChallenge): FaultAction[] {
  const { facts } = world;
  const reply = goodReply(world, challenge);
  if (reply === undefined || facts.chainTimeS > challenge.replyByS) return [];
  // A block does not know its own hash, and the newest one is what a call is tried in.
  if (reply.blockNumber >= facts.blockNumber) return [];
  if (refundWei(facts, challenge.bondWei) < relayTerms.answerGas * facts.gasPriceWei) return [];
  return [{ kind: "answerLiveness", ...reply }];
}

function goodReply({ facts, replyOf }: Pick<World, "facts" | "replyOf">, challenge: OpenChallenge) {
  const reply = replyOf(challenge.challengeId);
  if (reply === undefined || reply.reply.message.nodeId !== challenge.nodeId) return undefined;
  const { blockNumber } = reply;
  const isKnown = blockNumber >= challenge.challengedBlock && blockNumber + oldestBlocks > facts.blockNumber;
  return isKnown ? reply : undefined;
}

/** The oldest first, as far as the gas goes. */
function planSlashes({ payableSlashes }: FaultFacts, gasLeft: bigint): FaultAction[] {
  return payableSlashes
    .slice(0, Number(gasLeft / finishGas))
    .map((slashId) => ({ kind: "finishSlash", slashId }) as const);
}

function planChallenges({ facts, work }: World): FaultAction[] {
  if (work.challenge === undefined) return [];
  let leftWei = work.challenge.mostWeiPerDay - facts.postedTodayWei;
  return facts.silent.flatMap((nodeId): FaultAction[] => {
    if (facts.bondWei > leftWei) return [];
    leftWei -= facts.bondWei;
    return [{ kind: "challengeLiveness", nodeId, bondWei: facts.bondWei }];
  });
}

function planCredits({ credits, gasPriceWei }: FaultFacts) {
  const worthWei = 2n * payGas * gasPriceWei;
  const ledgers = (["availability", "disputes"] as const).filter((ledger) => {
    return credits[ledger] > 0n && credits[ledger] >= worthWei;
  });
  return [
    ...ledgers.map((ledger) => ({ kind: "payBondCredit", ledger }) as const),
    // Stake tokens: half of a bond, or a tenth of a slash, that somebody lost, so never dust.
    ...(credits.bonds > 0n ? [{ kind: "withdrawCredit" } as const] : []),
    ...(credits.stake > 0n ? [{ kind: "payStakeCredit" } as const] : []),
  ];
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** Selection and the price oracle at one block, as far as a keeper acts on them. */
import type { Deployment } from "@ngpu/protocol/deployment";
import { localPriceFeedAbi } from "@ngpu/protocol/generated/abi/localPriceFeed";
import { localSeedSourceAbi } from "@ngpu/protocol/generated/abi/localSeedSource";
import { priceOracleAbi } from "@ngpu/protocol/generated/abi/priceOracle";
import { selectionAbi } from "@ngpu/protocol/generated/abi/selection";
import { zeroHash, type Address, type Hex, type PublicClient } from "viem";
import { revertOf } from "../chain/revertOf.ts";
import type { Head } from "../chain/taskFollower.ts";
import { createMemberFollower, type PoolMember } from "./memberFollower.ts";
import { selectionPhase } from "./selectionPhase.ts";

export interface EpochFacts {
  chainTimeS: number;
  epoch: number;
  phase: number;
  phaseSinceS: number;
  lengths: { openS: number; updateS: number; seedTimeoutS: number };
  /** The open epoch has one. */
  hasSeed: boolean;
  /** The source has answered the request that the epoch waits for. */
  isSeedThere: boolean;
  /** The source takes no request; looked at only when an epoch could open without one. */
  isRequestRefused: boolean;
  /** Chain time at which this keeper first saw the phase. */
  seenSinceS: number;
  queueLength: number;
  /** Members whose weight is not what it should be; read in the update phase alone. */
  stale: readonly PoolMember[];
  /** Undefined while the noted rate is good for long enough. */
  rate: RateFacts | undefined;
}

export interface RateFacts {
  /** Feed's time of the noted rate; 0 when none was noted. */
  notedAtS: number;
  lastGoodSeconds: number;
  /** Feed's time of its rate of now; undefined while the oracle would refuse it. */
  feedAtS: number | undefined;
}

export interface EpochReader {
  /** Rejects when the chain does not answer or the block is gone. */
  read(head: Head): Promise<EpochFacts>;
  /** A refresh was mined: where it changed nothing, such as in a pool that is full, it is not asked for again. */
  refreshed(member: PoolMember): void;
  /** The chain is another one. */
  forget(): void;
}

const batchSize = 250;

interface Fixed {
  lengths: EpochFacts["lengths"];
  seedSource: Address;
  feed: Address;
  lastGoodSeconds: number;
}

export function createEpochReader(options: { chain: PublicClient; deployment: Deployment }): EpochReader {
  const { chain, deployment } = options;
  const selection = { address: deployment.selection, abi: selectionAbi } as const;
  const oracle = { address: deployment.priceOracle, abi: priceOracleAbi } as const;
  const members = createMemberFollower({ chain, deployment });
  let fixed: Fixed | undefined;
  let seen: { phase: string; sinceS: number } | undefined;
  /** Weight that each member should have had when its refresh was mined, in this phase. */
  const refreshed = new Map<string, number>();
  const wanted = new Map<string, number>();

  async function readFixed(): Promise<Fixed> {
    const [lengths, seedSource, feed, lastGoodSeconds] = await Promise.all([
      chain.readContract({ ...selection, functionName: "lengths" }),
      chain.readContract({ ...selection, functionName: "seedSource" }),
      chain.readContract({ ...oracle, functionName: "feed" }),
      chain.readContract({ ...oracle, functionName: "lastGoodSeconds" }),
    ]);
    return { lengths, seedSource, feed, lastGoodSeconds: Number(lastGoodSeconds) };
  }

  async function readStale(head: Head): Promise<PoolMember[]> {
    const all = await members.read(head);
    const stale: PoolMember[] = [];
    wanted.clear();
    for (let start = 0; start < all.length; start += batchSize) {
      const batch = all.slice(start, start + batchSize);
      const weights = await chain.multicall({
        blockNumber: head.number,
        deployless: true,
        allowFailure: false,
        contracts: batch.flatMap(({ pool, member }) => [
          { ...selection, functionName: "weightOf", args: [pool, member] } as const,
          { ...selection, functionName: "currentWeightOf", args: [pool, member] } as const,
        ]),
      });
      batch.forEach((entry, index) => {
        const [now = 0, should = 0] = weights.slice(2 * index, 2 * index + 2);
        wanted.set(keyOf(entry), should);
        if (now !== should && refreshed.get(keyOf(entry)) !== should) stale.push(entry);
      });
    }
    return stale;
  }

  async function isSeedThere(head: Head, requestId: bigint): Promise<boolean> {
    if (requestId === 0n || fixed === undefined) return false;
    const source = { address: fixed.seedSource, abi: localSeedSourceAbi } as const;
    const at = { blockNumber: head.number };
    return (await chain.readContract({ ...source, ...at, functionName: "seedOf", args: [requestId] })) !== zeroHash;
  }

  /** True when the call would be refused at that block; rejects when the chain does not answer. */
  async function isRefused(call: Promise<unknown>): Promise<boolean> {
    try {
      await call;
      return false;
    } catch (error) {
      if (revertOf(error) !== undefined) return true;
      throw error;
    }
  }

  async function readRate(head: Head, { feed, lastGoodSeconds }: Fixed): Promise<RateFacts | undefined> {
    const at = { blockNumber: head.number };
    const [, notedAtS] = await chain.readContract({ ...oracle, ...at, functionName: "lastGood" });
    if (lastGoodSeconds === 0 || head.timestampS < notedAtS + lastGoodSeconds / 2) return undefined;
    const rate = { notedAtS, lastGoodSeconds };
    if (await isRefused(chain.simulateContract({ ...oracle, ...at, functionName: "refresh" }))) {
      return { ...rate, feedAtS: undefined };
    }
    const round = { address: feed, abi: localPriceFeedAbi, functionName: "latestRoundData" } as const;
    const [, , , updatedAt] = await chain.readContract({ ...round, ...at });
    return { ...rate, feedAtS: Number(updatedAt) };
  }

  return {
    async read(head) {
      fixed ??= await readFixed();
      const { lengths } = fixed;
      const names = ["epoch", "phase", "phaseSince", "seed", "queueLength", "requestId"] as const;
      const at = { blockNumber: head.number, allowFailure: false, deployless: true } as const;
      const contracts = names.map((functionName) => ({ ...selection, functionName }) as const);
      const read = await chain.multicall({ ...at, contracts });
      const [epoch, phase, phaseSinceS, seed, queueLength, requestId] = read as [number, number, number, Hex, bigint, bigint];
      if (seen?.phase !== `${epoch}:${phase}`) {
        seen = { phase: `${epoch}:${phase}`, sinceS: head.timestampS };
        refreshed.clear();
      }
      const isUpdate = phase === selectionPhase.update;
      const awaitsSeed = phase === selectionPhase.seeding || (phase === selectionPhase.open && seed === zeroHash);
      const mayOpen = isUpdate && head.timestampS >= phaseSinceS + lengths.updateS + lengths.seedTimeoutS;
      const advance = { ...selection, functionName: "advance", blockNumber: head.number } as const;
      return {
        ...{ chainTimeS: head.timestampS, epoch, phase, phaseSinceS, lengths, hasSeed: seed !== zeroHash },
        isSeedThere: awaitsSeed && (await isSeedThere(head, requestId)),
        isRequestRefused: mayOpen && (await isRefused(chain.simulateContract(advance))),
        seenSinceS: seen.sinceS,
        queueLength: Number(queueLength),
        stale: isUpdate ? await readStale(head) : [],
        rate: await readRate(head, fixed),
      };
    },
    refreshed(member) {
      const weight = wanted.get(keyOf(member));
      if (weight !== undefined) refreshed.set(keyOf(member), weight);
    },
    forget() {
      members.forget();
      [fixed, seen] = [undefined, undefined];
      refreshed.clear();
    },
  };
}

function keyOf({ pool, member }: PoolMember): string {
  return `${pool}:${member}`;
}

/** Availability at one block, as far as a keeper acts on it. */
import type { Deployment } from "@ngpu/protocol/deployment";
import { availabilityAbi } from "@ngpu/protocol/generated/abi/availability";
import { keeperBondsAbi } from "@ngpu/protocol/generated/abi/keeperBonds";
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import { stakeVaultAbi } from "@ngpu/protocol/generated/abi/stakeVault";
import type { Address, Hex, PublicClient } from "viem";
import type { Head } from "../chain/taskFollower.ts";
import { createChallengeFollower, type OpenChallenge } from "./challengeFollower.ts";
import { relayTerms } from "./relayTerms.ts";
import { createSlashFollower } from "./slashFollower.ts";

export interface FaultFacts {
  account: Address;
  chainTimeS: number;
  blockNumber: bigint;
  baseFeeWei: bigint;
  /** What this keeper pays for gas. */
  gasPriceWei: bigint;
  /** Those that can still be answered. */
  challenges: OpenChallenge[];
  /** What closes the challenges that nobody answered; undefined when there are none. */
  upkeepData: Hex | undefined;
  /** Slashes whose appeal window has ended, and which nobody has finished. */
  payableSlashes: bigint[];
  /** Wei that can be paid out to this keeper: coins of the first two, stake tokens of the others. */
  credits: Record<"availability" | "disputes" | "bonds" | "stake", bigint>;
  /** Nodes that no gateway has seen for long, that owe an answer and were not challenged in this epoch. */
  silent: number[];
  /** Bond that opens a challenge in the next blocks. */
  bondWei: bigint;
  /** Bonds that this keeper has posted within a day. */
  postedTodayWei: bigint;
}

export interface FaultReader {
  /** `silentOf` says whom no gateway has seen, out of so many nodes. Rejects when the chain does not answer. */
  read(head: Head & { baseFeeWei: bigint }, silentOf?: (nodeCount: number) => number[]): Promise<FaultFacts>;
  /** The chain is another one. */
  forget(): void;
}

const batchSize = 250;
const challengeNone = 0;

interface Fixed {
  epochSeconds: number;
  minimumBondWei: bigint;
}

export function createFaultReader(options: {
  chain: PublicClient;
  deployment: Deployment;
  account: Address;
}): FaultReader {
  const { chain, deployment, account } = options;
  const availability = { address: deployment.availability, abi: availabilityAbi } as const;
  const registry = { address: deployment.nodeRegistry, abi: nodeRegistryAbi } as const;
  const follower = createChallengeFollower(options);
  const slashes = createSlashFollower(options);
  let fixed: Fixed | undefined;

  async function readFixed(): Promise<Fixed> {
    const [epochSeconds, minimumBondWei] = await Promise.all([
      chain.readContract({ ...availability, functionName: "epochSeconds" }),
      chain.readContract({ ...availability, functionName: "minimumBondWei" }),
    ]);
    return { epochSeconds, minimumBondWei };
  }

  /** Whom of them the contract would take a challenge of. */
  async function owingAnswer(head: Head, nodeIds: number[], { epochSeconds }: Fixed): Promise<number[]> {
    const at = { blockNumber: head.number, allowFailure: false, deployless: true } as const;
    const epoch = BigInt(Math.floor(head.timestampS / epochSeconds));
    const owing: number[] = [];
    for (let start = 0; start < nodeIds.length; start += batchSize) {
      const batch = nodeIds.slice(start, start + batchSize);
      const [eligible, ids] = await Promise.all([
        chain.multicall({
          ...at,
          contracts: batch.map((nodeId) => ({ ...registry, functionName: "isEligible", args: [nodeId] }) as const),
        }),
        chain.multicall({
          ...at,
          contracts: batch.map(
            (nodeId) => ({ ...availability, functionName: "challengeIdOf", args: [nodeId, epoch] }) as const,
          ),
        }),
      ]);
      const challenges = await chain.multicall({
        ...at,
        contracts: ids.map((id) => ({ ...availability, functionName: "challenge", args: [id] }) as const),
      });
      owing.push(...batch.filter((_, index) => eligible[index] && challenges[index]?.status === challengeNone));
    }
    return owing;
  }

  return {
    async read(head, silentOf) {
      fixed ??= await readFixed();
      const at = { blockNumber: head.number, allowFailure: false, deployless: true } as const;
      const { challenges, postedTodayWei } = await follower.read(head);
      const heldSlashes = await slashes.read(head);
      const [[isNeeded, data], paid, judged, bonds, stake, nodeCount] = await chain.multicall({
        ...at,
        contracts: [
          { ...availability, functionName: "checkUpkeep", args: ["0x"] },
          { ...availability, functionName: "bondCreditOf", args: [account] },
          { ...availability, address: deployment.disputes, functionName: "bondCreditOf", args: [account] },
          { address: deployment.keeperBonds, abi: keeperBondsAbi, functionName: "creditOf", args: [account] },
          { address: deployment.stakeVault, abi: stakeVaultAbi, functionName: "creditOf", args: [account] },
          { ...registry, functionName: "nodeCount" },
        ],
      });
      const { maxPriorityFeePerGas } = await chain.estimateFeesPerGas();
      const { answerGas, factorBps, headroom, bps } = relayTerms;
      // The contract reads the base fee of the block that takes the challenge, which may be an eighth higher.
      const requiredWei = (answerGas * head.baseFeeWei * factorBps * headroom) / bps;
      const withMarginWei = (requiredWei * 5n) / 4n;
      return {
        ...{ account, chainTimeS: head.timestampS, blockNumber: head.number, baseFeeWei: head.baseFeeWei },
        gasPriceWei: head.baseFeeWei + maxPriorityFeePerGas,
        ...{ challenges, postedTodayWei },
        upkeepData: isNeeded ? data : undefined,
        payableSlashes: heldSlashes.flatMap(({ slashId, payableAtS }) => (payableAtS <= head.timestampS ? [slashId] : [])),
        credits: { availability: paid, disputes: judged, bonds, stake },
        silent: silentOf === undefined ? [] : await owingAnswer(head, silentOf(nodeCount), fixed),
        bondWei: withMarginWei > fixed.minimumBondWei ? withMarginWei : fixed.minimumBondWei,
      };
    },
    forget() {
      fixed = undefined;
      follower.forget();
      slashes.forget();
    },
  };
}

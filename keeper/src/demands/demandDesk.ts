/**
 * Finds out what a keeper must know to answer demands: whether it is bonded, and which outputs its gateways hold. What
 * a gateway was once seen to hold stays known as long as the demand stands; all else is asked again each time.
 */
import type { Deployment } from "@ngpu/protocol/deployment";
import { keeperBondsAbi } from "@ngpu/protocol/generated/abi/keeperBonds";
import type { Clock } from "@ngpu/protocol/service/clock";
import type { SigningContext } from "@ngpu/protocol/signed";
import type { Hex, LocalAccount, PublicClient } from "viem";
import type { ChainAction } from "../keeper/classifyRevert.ts";
import type { Snapshot } from "../keeper/snapshot.ts";
import { holdsOutput } from "./holdsOutput.ts";
import { hasAttested, planDemands } from "./planDemands.ts";

export interface DemandDesk {
  /** What to do about the demands of this snapshot. Rejects when the chain does not answer. */
  answer(snapshot: Snapshot, signal: AbortSignal): Promise<ChainAction[]>;
  forget(): void;
}

/** Of one pass; further ones wait for the next. */
const mostAsked = 64;

export function createDemandDesk(options: {
  chain: PublicClient;
  deployment: Deployment;
  account: LocalAccount;
  gatewayUrls: readonly string[];
  context: SigningContext;
  clock: Clock;
}): DemandDesk {
  const { chain, deployment, account, gatewayUrls, context, clock } = options;
  const held = new Set<Hex>();

  async function isHeldAnywhere(taskId: Hex, blobHash: Hex, signal: AbortSignal): Promise<boolean> {
    const question = { taskId, blobHash, context, signer: account, clock, signal };
    const answers = await Promise.all(gatewayUrls.map((gatewayUrl) => holdsOutput({ ...question, gatewayUrl })));
    return answers.includes(true);
  }

  return {
    async answer({ demands, chainTimeS }, signal) {
      const standing = new Set(demands.map(({ taskId }) => taskId));
      for (const taskId of held) if (!standing.has(taskId)) held.delete(taskId);
      if (demands.length === 0) return [];
      const bonds = { address: deployment.keeperBonds, abi: keeperBondsAbi } as const;
      const args = [account.address] as const;
      const isBonded = (await chain.readContract({ ...bonds, functionName: "bondedIdOf", args })) !== 0;
      const open = demands.filter((demand) => {
        const isAnswered = hasAttested(demand, account.address) || held.has(demand.taskId);
        return isBonded && !isAnswered && chainTimeS < demand.answerableUntilS;
      });
      for (const { taskId, settlement } of open.slice(0, mostAsked)) {
        if (await isHeldAnywhere(taskId, settlement.outputCiphertext, signal)) held.add(taskId);
      }
      return planDemands({ demands, chainTimeS, account: account.address, isBonded, held });
    },
    forget: () => held.clear(),
  };
}

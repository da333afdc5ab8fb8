/** Liveness challenges that still can be answered, and what one account has posted lately, from Availability's events. */
import type { Deployment } from "@ngpu/protocol/deployment";
import { availabilityAbi } from "@ngpu/protocol/generated/abi/availability";
import { formatLog, isAddressEqual, parseEventLogs, type Address, type Hex, type PublicClient } from "viem";
import { createLogCursor } from "../chain/logCursor.ts";
import type { Head } from "../chain/taskFollower.ts";

export interface OpenChallenge {
  challengeId: Hex;
  nodeId: number;
  challengedBlock: bigint;
  /** The last second of chain time in which an answer counts. */
  replyByS: number;
  bondWei: bigint;
}

export interface ChallengeFollower {
  /** Rejects when the chain does not answer. */
  read(head: Head): Promise<{ challenges: OpenChallenge[]; postedTodayWei: bigint }>;
  forget(): void;
}

const dayS = 86_400;

export function createChallengeFollower(options: {
  chain: PublicClient;
  deployment: Deployment;
  account: Address;
}): ChallengeFollower {
  const { chain, deployment, account } = options;
  const firstBlock = BigInt(deployment.deploymentBlock);
  const cursor = createLogCursor({ chain, addresses: [deployment.availability], firstBlock });
  const open = new Map<Hex, OpenChallenge>();
  const ended = new Set<Hex>();
  const own = new Map<Hex, { bondWei: bigint; replyByS: number }>();

  return {
    async read(head) {
      const { isAnew, logs: raw } = await cursor.readOn(head);
      if (isAnew) for (const known of [open, own, ended]) known.clear();
      const logs = raw.map((log) => formatLog(log));
      for (const log of parseEventLogs({ abi: availabilityAbi, logs, strict: true })) {
        if (log.eventName === "LivenessChallenged") {
          const { challengeId, nodeId, replyBy, bondWei, challenger } = log.args;
          open.set(challengeId, { challengeId, nodeId, challengedBlock: log.blockNumber, replyByS: replyBy, bondWei });
          if (isAddressEqual(challenger, account)) own.set(challengeId, { bondWei, replyByS: replyBy });
        }
        if (log.eventName === "LivenessAnswered" && open.has(log.args.challengeId)) ended.add(log.args.challengeId);
      }
      // An answer that is read again may come without its challenge, which is read no more: both go by time.
      for (const [challengeId, { replyByS }] of open) {
        if (replyByS >= head.timestampS) continue;
        open.delete(challengeId);
        ended.delete(challengeId);
      }
      for (const [challengeId, { replyByS }] of own) if (replyByS + dayS < head.timestampS) own.delete(challengeId);
      return {
        challenges: [...open.values()].filter(({ challengeId }) => !ended.has(challengeId)),
        postedTodayWei: [...own.values()].reduce((sum, { bondWei }) => sum + bondWei, 0n),
      };
    },
    forget() {
      for (const known of [open, own, ended]) known.clear();
      cursor.forget();
    },
  };
}

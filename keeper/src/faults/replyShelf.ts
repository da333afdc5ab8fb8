/**
 * What nodes answered to liveness challenges: only what the contract would take now. Bounded; a reply that is refused
 * after all is dropped and asked for again.
 */
import { recoverSigner, type Signed, type SigningContext } from "@ngpu/protocol/signed";
import type { FrameOf } from "@ngpu/protocol/wire";
import { isAddressEqual, type Hex, type PublicClient } from "viem";
import type { Authority } from "../chain/authority.ts";
import { withPatience } from "../chain/withPatience.ts";
import type { Clock } from "@ngpu/protocol/service/clock";

export interface ShelvedReply {
  reply: Signed<"livenessReply">;
  blockNumber: bigint;
}

export interface ReplyShelf {
  /** True when it is one that the contract would take. Rejects when the chain does not answer. */
  take(frame: FrameOf<"livenessReply">): Promise<boolean>;
  of(challengeId: Hex): ShelvedReply | undefined;
  drop(challengeId: Hex): void;
  keepOnly(challengeIds: ReadonlySet<Hex>): void;
}

const mostReplies = 1_000;
const patienceMs = 2_000;

export function createReplyShelf(options: {
  chain: PublicClient;
  authority: Pick<Authority, "operatorOf">;
  context: SigningContext;
  clock: Clock;
}): ReplyShelf {
  const { chain, authority, context, clock } = options;
  const replies = new Map<Hex, ShelvedReply>();

  /** Of a block that the keeper's RPC does not have, nothing can be said: the node is asked again. */
  async function isBlock(blockNumber: bigint, hash: Hex): Promise<boolean> {
    const reading = chain.getBlock({ blockNumber }).catch(() => undefined);
    return (await withPatience(reading, { clock, ms: patienceMs }))?.hash === hash;
  }

  return {
    async take({ reply, blockNumber }) {
      const { challengeId, nodeId, blockHash } = reply.message;
      if (replies.size >= mostReplies && !replies.has(challengeId)) return false;
      const signer = await recoverSigner({ kind: "livenessReply", signed: reply, context });
      // A retired key does not show that the node is there.
      if (signer === undefined || !isAddressEqual(signer, await authority.operatorOf(nodeId))) return false;
      if (!(await isBlock(blockNumber, blockHash))) return false;
      replies.set(challengeId, { reply, blockNumber });
      return true;
    },
    of: (challengeId) => replies.get(challengeId),
    drop: (challengeId) => void replies.delete(challengeId),
    keepOnly(challengeIds) {
      for (const challengeId of replies.keys()) if (!challengeIds.has(challengeId)) replies.delete(challengeId);
    },
  };
}

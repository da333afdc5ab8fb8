/**
 * Receipts that nodes say no voucher covers, so that a claim on a lane's floor can be made of them when its time
 * has come. In memory and bounded: nodes send them again for as long as it is so. Signatures are the contract's to check.
 */
import type { Signed } from "@ngpu/protocol/signed";
import { sessionTaskIdOf } from "@ngpu/protocol/session/voucherChain";
import type { FrameOf } from "@ngpu/protocol/wire";
import type { Hex } from "viem";
import type { SessionFacts } from "./sessionSnapshot.ts";

export interface ShelvedClaim {
  /** Number of the first receipt. */
  seq: bigint;
  receipts: Signed<"receipt">[];
  takenMs: number;
}

export interface ClaimShelf {
  /** False when its receipts are not those of the lane's numbers, or there is no room. */
  take(frame: FrameOf<"claim">): boolean;
  of(lane: { sessionId: Hex; nodeId: number }): ShelvedClaim | undefined;
  /** Forgets what is covered, and what its node says no more. */
  keepOnly(sessions: readonly SessionFacts[]): void;
}

const mostLanes = 1_000;
/** Nodes repeat a claim every few seconds. */
const staleMs = 30_000;

export function createClaimShelf({ nowMs }: { nowMs: () => number }): ClaimShelf {
  const claims = new Map<string, ShelvedClaim>();

  return {
    take({ sessionId, nodeId, seq, receipts }) {
      const key = keyOf({ sessionId, nodeId });
      if (receipts.length === 0 || (claims.size >= mostLanes && !claims.has(key))) return false;
      const isTheirs = receipts.every(({ message }, index) => {
        return message.taskId === sessionTaskIdOf({ sessionId, nodeId, seq: seq + BigInt(index) });
      });
      if (isTheirs) claims.set(key, { seq, receipts, takenMs: nowMs() });
      return isTheirs;
    },
    of: (lane) => claims.get(keyOf(lane)),
    keepOnly(sessions) {
      const settled = new Map<string, bigint>();
      for (const { sessionId, lanes } of sessions) {
        for (const { nodeId, seq } of lanes) settled.set(keyOf({ sessionId, nodeId }), seq);
      }
      for (const [key, { seq, takenMs }] of claims) {
        if ((settled.get(key) ?? 0n) >= seq || nowMs() - takenMs > staleMs) claims.delete(key);
      }
    },
  };
}

function keyOf({ sessionId, nodeId }: { sessionId: Hex; nodeId: number }): string {
  return `${sessionId}:${nodeId}`;
}

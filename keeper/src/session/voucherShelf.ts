/**
 * Vouchers that nodes sent and the chain has not settled, so that a batch can be made of them. In memory and bounded:
 * nodes send again what is not settled.
 */
import { nextHeadOf } from "@ngpu/protocol/session/voucherChain";
import { recoverSigner, type SigningContext } from "@ngpu/protocol/signed";
import type { FrameOf } from "@ngpu/protocol/wire";
import { isAddressEqual, keccak256, type Address, type Hex } from "viem";
import type { SessionFacts } from "./sessionSnapshot.ts";

export interface ShelvedVoucher {
  seq: bigint;
  cumulativeUsd6: bigint;
  prevHead: Hex;
  bills: Hex;
  receiptsRoot: Hex;
  signature: Hex;
  signer: Address;
  takenMs: number;
}

export interface VoucherShelf {
  /** False when it is known already or is signed by nobody. */
  take(frame: FrameOf<"voucher">): Promise<boolean>;
  /** The vouchers that follow the lane's head without a gap, oldest first, up to the last that a good key signed. */
  following(lane: { sessionId: Hex; nodeId: number; head: Hex; signers: readonly Address[] }): ShelvedVoucher[];
  /** Forgets what is settled and whose session is over. */
  keepOnly(sessions: readonly SessionFacts[]): void;
}

const mostPerLane = 1_024;
const mostLanes = 10_000;

export function createVoucherShelf(options: { context: SigningContext; nowMs: () => number }): VoucherShelf {
  const { context, nowMs } = options;
  /** By lane, then by the head that they follow. */
  const lanes = new Map<string, Map<Hex, ShelvedVoucher>>();

  return {
    async take({ voucher, bills }) {
      const { sessionId, nodeId, seq, prevHead, billsHash, receiptsRoot, cumulativeUsd6 } = voucher.message;
      const lane = lanes.get(keyOf({ sessionId, nodeId })) ?? new Map<Hex, ShelvedVoucher>();
      if (lane.has(prevHead) || lane.size >= mostPerLane || billsHash !== keccak256(bills)) return false;
      const signer = await recoverSigner({ kind: "voucher", signed: voucher, context });
      if (signer === undefined || (lanes.size >= mostLanes && lane.size === 0)) return false;
      const { signature } = voucher;
      lane.set(prevHead, { seq, cumulativeUsd6, prevHead, bills, receiptsRoot, signature, signer, takenMs: nowMs() });
      lanes.set(keyOf({ sessionId, nodeId }), lane);
      return true;
    },
    following({ sessionId, nodeId, head, signers }) {
      const lane = lanes.get(keyOf({ sessionId, nodeId }));
      const chained: ShelvedVoucher[] = [];
      for (let at = head, next = lane?.get(at); next !== undefined; next = lane?.get(at)) {
        chained.push(next);
        at = nextHeadOf({ prevHead: at, billsHash: keccak256(next.bills), receiptsRoot: next.receiptsRoot });
      }
      const last = chained.findLastIndex(({ signer }) => signers.some((good) => isAddressEqual(good, signer)));
      return chained.slice(0, last + 1);
    },
    keepOnly(sessions) {
      const settled = new Map<string, bigint>();
      for (const { sessionId, lanes } of sessions) {
        for (const { nodeId, seq } of lanes) settled.set(keyOf({ sessionId, nodeId }), seq);
      }
      for (const [key, lane] of lanes) {
        const seq = settled.get(key);
        // A lane that is not known yet may have been assigned a block ago.
        if (seq === undefined) continue;
        for (const [prevHead, voucher] of lane) if (voucher.seq <= seq) lane.delete(prevHead);
        if (lane.size === 0) lanes.delete(key);
      }
      const open = new Set(sessions.map(({ sessionId }) => sessionId));
      for (const [key, lane] of lanes) {
        const isStale = [...lane.values()].every(({ takenMs }) => nowMs() - takenMs > staleMs);
        if (isStale && !open.has(key.slice(0, 66) as Hex)) lanes.delete(key);
      }
    },
  };
}

const staleMs = 60_000;

function keyOf({ sessionId, nodeId }: { sessionId: Hex; nodeId: number }): string {
  return `${sessionId}:${nodeId}`;
}

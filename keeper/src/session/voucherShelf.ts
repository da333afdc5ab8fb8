/**
 * Vouchers that nodes sent and the chain has not settled, so that a batch can be made of them. In memory and bounded:
 * nodes send again what is not settled.
 */
import { unpackBills, weightOf } from "@ngpu/protocol/session/packedBills";
import { dueUsd6 } from "@ngpu/protocol/session/sessionMoney";
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
  /** Since when the chain has settled it. */
  settledMs?: number;
}

export interface LanePlace {
  sessionId: Hex;
  nodeId: number;
  /** As the chain has it: where the lane's vouchers go on. */
  head: Hex;
  seq: bigint;
  weight: bigint;
  powerCu: number;
  priceUsd6PerGcums: bigint;
  signers: readonly Address[];
}

export interface VoucherShelf {
  /** False when it is known already or is signed by nobody. */
  take(frame: FrameOf<"voucher">): Promise<boolean>;
  /**
   * The vouchers that follow the lane's head without a gap, oldest first, up to the last that a good key signed with the
   * right number and sum: those that the contract takes, so that nobody can make a keeper pay for others.
   */
  following(lane: LanePlace): ShelvedVoucher[];
  /** Forgets what was settled long enough ago, and whose session is over. */
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
      if (lane.has(prevHead) || billsHash !== keccak256(bills)) return false;
      if (lane.size >= mostPerLane && !makeRoom(lane)) return false;
      const signer = await recoverSigner({ kind: "voucher", signed: voucher, context });
      if (signer === undefined || (lanes.size >= mostLanes && lane.size === 0)) return false;
      const { signature } = voucher;
      lane.set(prevHead, { seq, cumulativeUsd6, prevHead, bills, receiptsRoot, signature, signer, takenMs: nowMs() });
      lanes.set(keyOf({ sessionId, nodeId }), lane);
      return true;
    },
    following({ sessionId, nodeId, head, signers, powerCu, priceUsd6PerGcums, ...before }) {
      const lane = lanes.get(keyOf({ sessionId, nodeId }));
      const chained: ShelvedVoucher[] = [];
      let { seq, weight } = before;
      let good = 0;
      for (let at = head, next = lane?.get(at); next !== undefined; next = lane?.get(at)) {
        chained.push(next);
        const records = unpackBills(next.bills);
        seq += BigInt(records.length);
        weight += weightOf(records);
        const isRight = next.seq === seq && next.cumulativeUsd6 === dueUsd6({ weight, powerCu, priceUsd6PerGcums });
        if (isRight && signers.some((signer) => isAddressEqual(signer, next.signer))) good = chained.length;
        at = nextHeadOf({ prevHead: at, billsHash: keccak256(next.bills), receiptsRoot: next.receiptsRoot });
      }
      return chained.slice(0, good);
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
        for (const [prevHead, voucher] of lane) {
          if (voucher.seq > seq) delete voucher.settledMs;
          else voucher.settledMs ??= nowMs();
          if (nowMs() - (voucher.settledMs ?? Infinity) > keepSettledMs) lane.delete(prevHead);
        }
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
/** Blocks that settled a voucher may be undone for so long, and then it is settled again. */
const keepSettledMs = 900_000;

/** What the chain has settled gives way to what it has not. */
function makeRoom(lane: Map<Hex, ShelvedVoucher>): boolean {
  for (const [prevHead, { settledMs }] of lane) if (settledMs !== undefined) return lane.delete(prevHead);
  return false;
}

function keyOf({ sessionId, nodeId }: { sessionId: Hex; nodeId: number }): string {
  return `${sessionId}:${nodeId}`;
}

/**
 * A node's books of one lane, without I/O: what it answered, what the payer signed for, and how much work it may still
 * do on credit. Entries are written down before anything is sent, and applying them again gives the same books, so no
 * record number is ever signed twice.
 *
 *   base     where the lane stood when the file was begun or shortened
 *   done     requests that were answered and paid before that
 *   answer   record `seq`, to be sent until a voucher covers it
 *   voucher  the payer's signature up to its `seq`, to be relayed until the chain has settled it
 *   unsettled  the same, in a shortened file whose base includes it already
 */
import type { ErrorCode } from "@ngpu/protocol/errors";
import { billing, unpackBills, weightOf } from "@ngpu/protocol/session/packedBills";
import { receiptsRootOf } from "@ngpu/protocol/session/receiptsRoot";
import { sessionLimits } from "@ngpu/protocol/session/sessionLimits";
import { dueUsd6 } from "@ngpu/protocol/session/sessionMoney";
import { nextHeadOf } from "@ngpu/protocol/session/voucherChain";
import type { Signed } from "@ngpu/protocol/signed";
import { isAddressEqual, keccak256, type Address, type Hex } from "viem";

export interface BaseEntry {
  t: "base";
  seq: bigint;
  head: Hex;
  weight: bigint;
  writtenOff: bigint;
}

export interface DoneEntry {
  t: "done";
  requestIds: Hex[];
}

export interface AnswerEntry {
  t: "answer";
  seq: bigint;
  requestId: Hex;
  receiptHash: Hex;
  receipt: Signed<"receipt">;
  /** The sealed output in base64; empty where it is a file, named by the receipt. */
  sealed: string;
}

export interface VoucherEntry {
  t: "voucher";
  voucher: Signed<"voucher">;
  bills: Hex;
}

export interface UnsettledEntry extends Omit<VoucherEntry, "t"> {
  t: "unsettled";
}

export type LaneEntry = BaseEntry | DoneEntry | AnswerEntry | VoucherEntry | UnsettledEntry;

export type VoucherVerdict = { kind: "take"; entry: VoucherEntry } | { kind: "known" } | { kind: "refuse"; code: ErrorCode };

export interface LaneBook {
  apply(entry: LaneEntry): void;
  /** Number of the next record. */
  nextSeq(): bigint;
  /** Number of the last record that a voucher covers. */
  signedSeq(): bigint;
  hasAnswered(requestId: Hex): boolean;
  /** Answers that no voucher covers, oldest first. */
  unsigned(): readonly AnswerEntry[];
  /** Vouchers that the chain has not settled for good, oldest first. */
  unsettled(): readonly VoucherEntry[];
  judge(voucher: VoucherEntry, by: { recovered: Address | undefined; signers: readonly Address[] }): VoucherVerdict;
  /** The chain has settled up to there, and no block that says so is taken back. */
  settled(seq: bigint): void;
  /**
   * Why no more work may begin, when `pending` requests of `pendingMs` are being done and one of `nextMs` would be
   * added. What is on credit never exceeds what one claim on the lane's floor can show.
   */
  refusal(work: { pending: number; pendingMs: number; nextMs: number; allotmentUsd6: bigint }): ErrorCode | undefined;
  /** Entries that give the same books. */
  entries(): LaneEntry[];
}

/** Of what is signed, an equal share may have been work done twice; beyond that it counts as unsigned. */
const writtenOffShare = 4n;

export function createLaneBook(lane: {
  sessionId: Hex;
  nodeId: number;
  powerCu: number;
  priceUsd6PerGcums: bigint;
}): LaneBook {
  const { sessionId, nodeId, powerCu, priceUsd6PerGcums } = lane;
  let base: BaseEntry = { t: "base", seq: 0n, head: "0x", weight: 0n, writtenOff: 0n };
  const unsigned: AnswerEntry[] = [];
  let unsettled: VoucherEntry[] = [];
  const answered = new Set<Hex>();

  const amountOf = (weight: bigint): bigint => dueUsd6({ weight, powerCu, priceUsd6PerGcums });
  const ownWeight = (entries: readonly AnswerEntry[]): bigint =>
    entries.reduce((sum, { receipt }) => sum + BigInt(receipt.message.durationMs) * billing.executionBps, 0n);

  function apply(entry: LaneEntry): void {
    if (entry.t === "base") base = entry;
    else if (entry.t === "done") for (const requestId of entry.requestIds) answered.add(requestId);
    else if (entry.t === "voucher") applyVoucher(entry);
    else if (entry.t === "unsettled") unsettled.push({ ...entry, t: "voucher" });
    else {
      unsigned.push(entry);
      answered.add(entry.requestId);
    }
  }

  function applyVoucher(entry: VoucherEntry): void {
    const { message } = entry.voucher;
    const covered = unsigned.splice(0, Number(message.seq - base.seq));
    const signed = weightOf(unpackBills(entry.bills));
    base = {
      t: "base",
      seq: message.seq,
      head: nextHeadOf(message),
      weight: base.weight + signed,
      writtenOff: base.writtenOff + ownWeight(covered) - signed,
    };
    unsettled.push(entry);
  }

  function judge(entry: VoucherEntry, by: Parameters<LaneBook["judge"]>[1]): VoucherVerdict {
    const { message } = entry.voucher;
    const { recovered, signers } = by;
    const isSigned = recovered !== undefined && signers.some((signer) => isAddressEqual(signer, recovered));
    if (!isSigned) return { kind: "refuse", code: "AUTH_FORBIDDEN" };
    if (message.seq <= base.seq) return { kind: "known" };
    return fits(entry) ? { kind: "take", entry } : { kind: "refuse", code: "VOUCHER_MISFIT" };
  }

  function fits({ voucher: { message }, bills }: VoucherEntry): boolean {
    const records = unpackBills(bills);
    const covered = unsigned.slice(0, records.length);
    if (message.sessionId !== sessionId || message.nodeId !== nodeId || message.prevHead !== base.head) return false;
    if (message.seq !== base.seq + BigInt(records.length) || covered.length !== records.length) return false;
    const isAgreed = records.every(({ kind, ms }, index) => {
      const ownMs = covered[index]?.receipt.message.durationMs ?? 0;
      return kind === "execution" ? ms === ownMs : ms <= ownMs;
    });
    const weight = base.weight + weightOf(records);
    return (
      isAgreed &&
      message.billsHash === keccak256(bills) &&
      message.receiptsRoot === receiptsRootOf(covered.map(({ receiptHash }) => receiptHash)) &&
      message.cumulativeUsd6 === amountOf(weight)
    );
  }

  function refusal(work: Parameters<LaneBook["refusal"]>[0]): ErrorCode | undefined {
    const { pending, pendingMs, nextMs, allotmentUsd6 } = work;
    const open = ownWeight(unsigned) + BigInt(pendingMs + nextMs) * billing.executionBps;
    if (amountOf(base.weight + open) > allotmentUsd6) return "SESSION_SPENT";
    if (unsigned.length + pending >= sessionLimits.maxClaimReceipts) return "SESSION_UNSIGNED";
    const excess = base.writtenOff - base.weight / writtenOffShare;
    const onCredit = open + (excess > 0n ? excess : 0n);
    return onCredit > BigInt(sessionLimits.creditWindowMs) * billing.executionBps ? "SESSION_UNSIGNED" : undefined;
  }

  return {
    apply,
    nextSeq: () => base.seq + BigInt(unsigned.length) + 1n,
    signedSeq: () => base.seq,
    hasAnswered: (requestId) => answered.has(requestId),
    unsigned: () => unsigned,
    unsettled: () => unsettled,
    judge,
    settled(seq) {
      unsettled = unsettled.filter(({ voucher }) => voucher.message.seq > seq);
    },
    refusal,
    entries() {
      const waiting = new Set(unsigned.map(({ requestId }) => requestId));
      const done = [...answered].filter((requestId) => !waiting.has(requestId));
      const kept = unsettled.map((entry): UnsettledEntry => ({ ...entry, t: "unsettled" }));
      return [base, { t: "done", requestIds: done }, ...kept, ...unsigned];
    },
  };
}

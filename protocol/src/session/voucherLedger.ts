/**
 * The payer's books of one session, without I/O: which receipts may be paid, and the one voucher that may be signed
 * next for each lane. A decision is an entry; whoever decides writes the entry down before acting on it, and applying
 * all entries again gives the same books. So after any crash no two vouchers can be signed for one (lane, seq), no
 * record is counted twice, and no request is paid twice (INV-2, INV-9, INV-13).
 */
import { isAddressEqual, keccak256, type Address, type Hex } from "viem";
import { NgpuError, type ErrorCode } from "../errors.ts";
import { receiptStatus, type Receipt } from "../typedData.ts";
import { capMs } from "../units.ts";
import type { AskedEntry, LaneEntry, LedgerEntry, RecordEntry, VoucherEntry } from "./ledgerEntry.ts";
import { packBills, weightOf } from "./packedBills.ts";
import { receiptsRootOf } from "./receiptsRoot.ts";
import { dueUsd6 } from "./sessionMoney.ts";
import { nextHeadOf, sessionTaskIdOf } from "./voucherChain.ts";

/** An answer of a node and what was found out about it. */
export interface JudgedAnswer {
  nodeId: number;
  seq: bigint;
  receipt: Receipt;
  /** EIP-712 hash of the receipt. */
  receiptHash: Hex;
  /** Who signed the receipt; undefined when nobody can have. */
  signer: Address | undefined;
  /** The node's operator. */
  operator: Address;
  /** keccak256 of the sealed output that came with it. */
  outputCiphertext: Hex;
  /** The output opens, and it is what the receipt commits to. */
  isOutputProven: boolean;
}

export type Verdict =
  /** Write the entry down and apply it. With a code: it is not paid for executing, the code says why. */
  | { kind: "take"; entry: RecordEntry; code?: ErrorCode }
  /** The node signed something that may not be paid: write the entry down and apply it. */
  | { kind: "halt"; entry: Extract<LedgerEntry, { t: "halted" }> }
  /** Nothing changes. */
  | { kind: "refuse"; code: ErrorCode };

export interface LaneBooks {
  nodeId: number;
  powerCu: number;
  /** Why nothing of this lane is paid any more. */
  halted?: ErrorCode;
  /** Number of the record that is expected next. */
  nextSeq: bigint;
  /** Records that no voucher covers. */
  pending: readonly RecordEntry[];
  /** The newest voucher; it is sent again until the node has it. */
  voucher?: VoucherEntry;
  /** What is signed. */
  signedUsd6: bigint;
}

export interface VoucherLedger {
  apply(entry: LedgerEntry): void;
  /** The node has the voucher up to there, so that it need not be sent again. */
  delivered(nodeId: number, seq: bigint): void;
  /** What a receipt with this commitment answers; undefined when the node was not asked it, or has answered. */
  asked(nodeId: number, inputCommitment: Hex): AskedEntry | undefined;
  judge(answer: JudgedAnswer): Verdict;
  /** The voucher to sign next; undefined when nothing waits for one. Throws SESSION_SPENT. */
  draw(nodeId: number): VoucherEntry | undefined;
  lane(nodeId: number): LaneBooks | undefined;
  /** Records whose voucher is not made, or not delivered. */
  unsigned(nodeId: number): number;
  lanes(): LaneBooks[];
  /** Entries that give the same books as all applied so far. */
  entries(): LedgerEntry[];
}

/** As many records fit into a voucher's frame many times over. */
export const mostRecordsPerVoucher = 1_024;

interface Lane extends Omit<LaneEntry, "t"> {
  halted?: ErrorCode;
  pending: RecordEntry[];
  /** What the node was asked and has not answered, by input commitment. */
  asked: Map<Hex, AskedEntry>;
  /** The newest voucher until it is delivered, with what the lane was before it. */
  sent?: { voucher: VoucherEntry; before: LaneEntry; records: RecordEntry[] };
}

/** A client asks nothing again that was answered; so many are remembered all the same, should one do it. */
const mostPaidRemembered = 100_000;

export function createVoucherLedger(session: {
  sessionId: Hex;
  modelId: Hex;
  priceUsd6PerGcums: bigint;
  spendCapUsd6: bigint;
}): VoucherLedger {
  const { sessionId, modelId, priceUsd6PerGcums, spendCapUsd6 } = session;
  const lanes = new Map<number, Lane>();
  /** Requests that were paid, oldest first. */
  const paid = new Set<Hex>();

  const amountOf = ({ powerCu }: Lane, weight: bigint): bigint =>
    dueUsd6({ weight, powerCu, priceUsd6PerGcums });
  const nextSeqOf = ({ seq, pending }: Lane): bigint => seq + BigInt(pending.length) + 1n;

  function laneOf(nodeId: number): Lane {
    const lane = lanes.get(nodeId);
    if (lane === undefined) throw broken({ nodeId, reason: "no such lane" });
    return lane;
  }

  function apply(entry: LedgerEntry): void {
    if (entry.t === "asked") return applyAsked(entry);
    if (entry.t === "record") return applyRecord(entry);
    if (entry.t === "voucher") return applyVoucher(entry);
    if (entry.t === "paid") return entry.requestIds.forEach(applyPaid);
    if (entry.t === "halted") return void (laneOf(entry.nodeId).halted = entry.code);
    if (lanes.has(entry.nodeId)) throw broken({ nodeId: entry.nodeId, reason: "a second lane for this node" });
    const { t: _t, ...lane } = entry;
    lanes.set(entry.nodeId, { ...lane, pending: [], asked: new Map() });
  }

  function applyAsked(entry: AskedEntry): void {
    laneOf(entry.nodeId).asked.set(entry.inputCommitment, entry);
  }

  function applyPaid(requestId: Hex): void {
    paid.add(requestId);
    const [oldest] = paid;
    if (paid.size > mostPaidRemembered && oldest !== undefined) paid.delete(oldest);
  }

  function applyRecord(entry: RecordEntry): void {
    const lane = laneOf(entry.nodeId);
    if (entry.seq !== nextSeqOf(lane)) throw broken({ seq: entry.seq, expected: nextSeqOf(lane) });
    lane.pending.push(entry);
    const requestId = lane.asked.get(entry.inputCommitment)?.requestId;
    lane.asked.delete(entry.inputCommitment);
    if (requestId === undefined || entry.kind !== "execution") return;
    if (paid.has(requestId)) throw broken({ requestId, reason: "paid twice" });
    applyPaid(requestId);
  }

  function applyVoucher(entry: VoucherEntry): void {
    const { message, bills } = entry;
    const lane = laneOf(message.nodeId);
    const count = Number(message.seq - lane.seq);
    const covered = lane.pending.slice(0, count);
    const expected = count > 0 && covered.length === count ? voucherOf(lane, covered) : undefined;
    const isNext = expected !== undefined && expected.bills === bills && isSame(expected.message, message);
    if (!isNext) throw broken({ seq: message.seq, reason: "a voucher that does not follow" });
    lane.sent = { voucher: entry, before: entryOf(lane), records: lane.pending.splice(0, count) };
    lane.weight += weightOf(covered);
    lane.seq = message.seq;
    lane.head = nextHeadOf(message);
  }

  const entryOf = ({ nodeId, powerCu, seq, head, weight }: Lane): LaneEntry => ({
    t: "lane",
    nodeId,
    powerCu,
    seq,
    head,
    weight,
  });

  function voucherOf(lane: Lane, records: RecordEntry[]): VoucherEntry {
    const bills = packBills(records);
    const weight = lane.weight + weightOf(records);
    const message = {
      sessionId,
      nodeId: lane.nodeId,
      seq: lane.seq + BigInt(records.length),
      cumulativeUsd6: amountOf(lane, weight),
      prevHead: lane.head,
      billsHash: keccak256(bills),
      receiptsRoot: receiptsRootOf(records.map(({ receiptHash }) => receiptHash)),
    };
    return { t: "voucher", message, bills };
  }

  function draw(nodeId: number): VoucherEntry | undefined {
    const lane = laneOf(nodeId);
    const records = lane.pending.slice(0, mostRecordsPerVoucher);
    if (records.length === 0) return undefined;
    const entry = voucherOf(lane, records);
    const others = [...lanes.values()].filter((other) => other !== lane);
    const signedUsd6 = others.reduce((sum, other) => sum + amountOf(other, other.weight), entry.message.cumulativeUsd6);
    if (signedUsd6 > spendCapUsd6) throw new NgpuError("SESSION_SPENT", { sessionId, signedUsd6, spendCapUsd6 });
    return entry;
  }

  function judge(answer: JudgedAnswer): Verdict {
    const { nodeId, seq, receipt, receiptHash, signer, operator } = answer;
    const { inputCommitment, durationMs } = receipt;
    const lane = lanes.get(nodeId);
    if (lane === undefined || lane.halted !== undefined) return refuse("LANE_UNKNOWN");
    // Anybody on the way can make these up, so they must not cost the lane anything.
    if (signer === undefined || !isAddressEqual(signer, operator)) return refuse("AUTH_FORBIDDEN");
    if (receipt.taskId !== sessionTaskIdOf({ sessionId, nodeId, seq })) return refuse("RECEIPT_MISFIT");
    if (seq < nextSeqOf(lane)) return refuse("RECEIPT_REPEATED");
    if (seq > nextSeqOf(lane)) return refuse("RECEIPT_GAP");
    if (receipt.outputCiphertext !== answer.outputCiphertext) return refuse("BLOB_MISMATCH");

    const take = (kind: RecordEntry["kind"], ms: number, code?: ErrorCode): Verdict => {
      const entry: RecordEntry = { t: "record", nodeId, seq, inputCommitment, kind, ms, receiptHash };
      return { kind: "take", entry, ...(code === undefined ? {} : { code }) };
    };
    const asked = lane.asked.get(inputCommitment);
    const misfit = misfitOf(answer, lane, asked);
    if (misfit !== undefined) return { kind: "halt", entry: { t: "halted", nodeId, code: misfit } };
    // Nobody asked this node, or it has answered before: the record is there, and worth nothing.
    if (asked === undefined) return take("standby", 0, "REQUEST_UNKNOWN");
    if (paid.has(asked.requestId)) return take("standby", durationMs, "REQUEST_PAID");
    return take("execution", durationMs);
  }

  function misfitOf(answer: JudgedAnswer, lane: Lane, asked: AskedEntry | undefined): ErrorCode | undefined {
    const { receipt, nodeId, isOutputProven } = answer;
    const isRight =
      receipt.nodeId === nodeId &&
      receipt.assignment === 0 &&
      receipt.attempt === 0 &&
      receipt.modelId === modelId &&
      receipt.powerCu === lane.powerCu &&
      receipt.status === receiptStatus.succeeded;
    if (!isRight) return "RECEIPT_MISFIT";
    if (asked === undefined) return undefined;
    if (receipt.durationMs > capMs({ workCums: asked.workCums, powerCu: lane.powerCu })) return "RECEIPT_ABOVE_CAP";
    return isOutputProven ? undefined : "COMMITMENT_MISMATCH";
  }

  const booksOf = (lane: Lane): LaneBooks => ({
    nodeId: lane.nodeId,
    powerCu: lane.powerCu,
    ...(lane.halted === undefined ? {} : { halted: lane.halted }),
    nextSeq: nextSeqOf(lane),
    pending: lane.pending,
    ...(lane.sent === undefined ? {} : { voucher: lane.sent.voucher }),
    signedUsd6: amountOf(lane, lane.weight),
  });

  /** Records come before what was asked and paid: applied so, they leave those alone, which are told as they are now. */
  function entries(): LedgerEntry[] {
    const ofLanes = [...lanes.values()].flatMap((lane): LedgerEntry[] => {
      const { nodeId, halted, pending, sent } = lane;
      const signed = sent === undefined ? [entryOf(lane)] : [sent.before, ...sent.records, sent.voucher];
      return [...signed, ...pending, ...(halted === undefined ? [] : [{ t: "halted", nodeId, code: halted } as const])];
    });
    const asked = [...lanes.values()].flatMap((lane) => [...lane.asked.values()]);
    return [...ofLanes, { t: "paid", requestIds: [...paid] }, ...asked];
  }

  return {
    apply,
    judge,
    draw,
    delivered(nodeId, seq) {
      const lane = lanes.get(nodeId);
      if (lane !== undefined && lane.seq <= seq) delete lane.sent;
    },
    asked: (nodeId, inputCommitment) => lanes.get(nodeId)?.asked.get(inputCommitment),
    lane(nodeId) {
      const lane = lanes.get(nodeId);
      return lane === undefined ? undefined : booksOf(lane);
    },
    unsigned(nodeId) {
      const { pending = [], sent } = lanes.get(nodeId) ?? {};
      return pending.length + (sent?.records.length ?? 0);
    },
    lanes: () => [...lanes.values()].map(booksOf),
    entries,
  };
}

function isSame(a: VoucherEntry["message"], b: VoucherEntry["message"]): boolean {
  return (Object.keys(a) as (keyof VoucherEntry["message"])[]).every((field) => a[field] === b[field]);
}

function refuse(code: ErrorCode): Verdict {
  return { kind: "refuse", code };
}

function broken(fields: Record<string, unknown>): NgpuError {
  return new NgpuError("INTERNAL", { ...fields, reason: fields.reason ?? "the books of a session do not follow" });
}

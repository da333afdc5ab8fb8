/**
 * What a payer's client writes down about a session, one entry a line, in the order in which it must be believed:
 *
 *   lane     a node serves from here on              asked    a request was sent to a node
 *   record   a receipt was taken as record `seq`     halted   a node signed what may not be paid; nothing follows
 *   voucher  this, and nothing else, may be signed for the lane up to its `seq`
 *   paid     requests that were paid, in a journal that was shortened
 */
import type { Hex } from "viem";
import { isErrorCode, NgpuError, type ErrorCode } from "../errors.ts";
import { isRecord } from "../isRecord.ts";
import type { Voucher } from "../typedData.ts";
import { wireJson } from "../wireJson.ts";

export interface LaneEntry {
  t: "lane";
  nodeId: number;
  powerCu: number;
  /** Where the lane's vouchers stand: record number, head and weight of what is signed. */
  seq: bigint;
  head: Hex;
  weight: bigint;
}

export interface AskedEntry {
  t: "asked";
  requestId: Hex;
  nodeId: number;
  inputCommitment: Hex;
  workCums: bigint;
}

/** Only in a journal that was shortened. */
export interface PaidEntry {
  t: "paid";
  requestIds: Hex[];
}

export interface RecordEntry {
  t: "record";
  nodeId: number;
  seq: bigint;
  /** Of the receipt; names the request, because every sealing has a salt of its own. */
  inputCommitment: Hex;
  kind: "execution" | "standby";
  ms: number;
  receiptHash: Hex;
}

export interface HaltedEntry {
  t: "halted";
  nodeId: number;
  code: ErrorCode;
}

export interface VoucherEntry {
  t: "voucher";
  message: Voucher;
  bills: Hex;
}

export type LedgerEntry = LaneEntry | AskedEntry | RecordEntry | HaltedEntry | VoucherEntry | PaidEntry;

export function encodeLedgerEntry(entry: LedgerEntry): string {
  return wireJson(entry);
}

/** Throws INTERNAL: a journal that cannot be read must not be signed from. */
export function decodeLedgerEntry(line: string): LedgerEntry {
  try {
    const value: unknown = JSON.parse(line);
    if (!isRecord(value)) throw new TypeError("not an object");
    return entryOf(value);
  } catch (cause) {
    throw new NgpuError("INTERNAL", { line: line.slice(0, 80), reason: "a session's journal cannot be read" }, { cause });
  }
}

function entryOf(value: Record<string, unknown>): LedgerEntry {
  const { t } = value;
  if (t === "lane") {
    const { nodeId, powerCu, seq, head, weight } = value;
    return { t, nodeId: count(nodeId), powerCu: count(powerCu), seq: big(seq), head: hex(head), weight: big(weight) };
  }
  if (t === "asked") {
    const { requestId, nodeId, inputCommitment, workCums } = value;
    const content = { inputCommitment: hex(inputCommitment), workCums: big(workCums) };
    return { t, requestId: hex(requestId), nodeId: count(nodeId), ...content };
  }
  if (t === "paid" && Array.isArray(value.requestIds)) return { t, requestIds: value.requestIds.map(hex) };
  if (t === "record") {
    const { nodeId, seq, inputCommitment, kind, ms, receiptHash } = value;
    if (kind !== "execution" && kind !== "standby") throw new TypeError("kind");
    const where = { nodeId: count(nodeId), seq: big(seq), inputCommitment: hex(inputCommitment) };
    return { t, ...where, kind, ms: count(ms), receiptHash: hex(receiptHash) };
  }
  if (t === "halted") {
    const { nodeId, code } = value;
    if (typeof code !== "string" || !isErrorCode(code)) throw new TypeError("code");
    return { t, nodeId: count(nodeId), code };
  }
  if (t === "voucher" && isRecord(value.message)) {
    const { sessionId, nodeId, seq, cumulativeUsd6, prevHead, billsHash, receiptsRoot } = value.message;
    const message = {
      sessionId: hex(sessionId),
      nodeId: count(nodeId),
      seq: big(seq),
      cumulativeUsd6: big(cumulativeUsd6),
      prevHead: hex(prevHead),
      billsHash: hex(billsHash),
      receiptsRoot: hex(receiptsRoot),
    };
    return { t, message, bills: hex(value.bills) };
  }
  throw new TypeError("t");
}

function count(value: unknown): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw new TypeError("count");
  return value as number;
}

function big(value: unknown): bigint {
  if (typeof value !== "string") throw new TypeError("integer");
  return BigInt(value);
}

function hex(value: unknown): Hex {
  if (typeof value !== "string" || !/^0x([0-9a-f]{2})*$/.test(value)) throw new TypeError("hex");
  return value as Hex;
}

/** How the entries of a lane's journal are written, one a line, and read again. */
import { NgpuError } from "@ngpu/protocol/errors";
import { isRecord } from "@ngpu/protocol/isRecord";
import { decodeSigned } from "@ngpu/protocol/wire";
import { wireJson } from "@ngpu/protocol/wireJson";
import { isHex, type Hex } from "viem";
import type { LaneEntry } from "./laneBook.ts";

export function encodeLaneEntry(entry: LaneEntry): string {
  return wireJson(entry);
}

/** Throws INTERNAL: a lane whose journal cannot be read must not be served, or a number could be signed twice. */
export function decodeLaneEntry(line: string): LaneEntry {
  try {
    const value: unknown = JSON.parse(line);
    if (!isRecord(value)) throw new TypeError("not an object");
    return entryOf(value);
  } catch (cause) {
    throw new NgpuError("INTERNAL", { line: line.slice(0, 80), reason: "a lane's journal cannot be read" }, { cause });
  }
}

function entryOf(value: Record<string, unknown>): LaneEntry {
  const { t } = value;
  if (t === "base") {
    const { seq, head, weight, writtenOff } = value;
    return { t, seq: big(seq), head: hex(head), weight: big(weight), writtenOff: big(writtenOff) };
  }
  if (t === "done" && Array.isArray(value.requestIds)) return { t, requestIds: value.requestIds.map(hex) };
  if (t === "answer") {
    const { seq, requestId, receiptHash, receipt, sealed } = value;
    if (typeof sealed !== "string") throw new TypeError("sealed");
    const what = { requestId: hex(requestId), receiptHash: hex(receiptHash), receipt: decodeSigned("receipt", receipt) };
    return { t, seq: big(seq), ...what, sealed };
  }
  if (t === "voucher" || t === "unsettled")
    return { t, voucher: decodeSigned("voucher", value.voucher), bills: hex(value.bills) };
  throw new TypeError("t");
}

function big(value: unknown): bigint {
  if (typeof value !== "string") throw new TypeError("integer");
  return BigInt(value);
}

function hex(value: unknown): Hex {
  if (!isHex(value)) throw new TypeError("hex");
  return value;
}

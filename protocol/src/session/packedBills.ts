/**
 * The billing records of a voucher, equal to contracts/libraries/PackedBills.sol: four bytes each, big-endian, back to
 * back. Bit 31 clear: an execution; set: a standby line at a tenth of the price. The low 31 bits are ms.
 */
import { bytesToHex, hexToBytes, type Hex } from "viem";

export interface BillRecord {
  readonly kind: "execution" | "standby";
  readonly ms: number;
}

export const billing = {
  bytesPerRecord: 4,
  /** Of one segment. */
  maxRecords: 4_096,
  maxMs: 0x7fff_ffff,
  /** Weight of one ms. */
  executionBps: 10_000n,
  standbyBps: 1_000n,
} as const;

const STANDBY = 0x8000_0000;

/** Packs 1 … 4,096 records. */
export function packBills(records: readonly BillRecord[]): Hex {
  if (records.length === 0 || records.length > billing.maxRecords) {
    throw new RangeError(`a voucher has 1 to ${billing.maxRecords} records, not ${records.length}`);
  }
  const view = new DataView(new ArrayBuffer(records.length * billing.bytesPerRecord));
  for (const [index, { kind, ms }] of records.entries()) {
    if (!Number.isInteger(ms) || ms < 0 || ms > billing.maxMs) throw new RangeError(`not a record's ms: ${ms}`);
    view.setUint32(index * billing.bytesPerRecord, kind === "standby" ? ms + STANDBY : ms);
  }
  return bytesToHex(new Uint8Array(view.buffer));
}

/** The records of well-formed bills; throws a RangeError for any other bytes, as the contract refuses them. */
export function unpackBills(bills: Hex): BillRecord[] {
  const bytes = hexToBytes(bills);
  const count = bytes.length / billing.bytesPerRecord;
  if (!Number.isInteger(count) || count === 0 || count > billing.maxRecords) {
    throw new RangeError(`not 1 to ${billing.maxRecords} records: ${bytes.length} bytes`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: count }, (_, index) => {
    const record = view.getUint32(index * billing.bytesPerRecord);
    return record >= STANDBY ? { kind: "standby", ms: record - STANDBY } : { kind: "execution", ms: record };
  });
}

/** Σ (executionMs × 10,000 + standbyMs × 1,000). */
export function weightOf(records: readonly BillRecord[]): bigint {
  return records.reduce(
    (sum, { kind, ms }) => sum + BigInt(ms) * (kind === "standby" ? billing.standbyBps : billing.executionBps),
    0n,
  );
}

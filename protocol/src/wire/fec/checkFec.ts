/**
 * Arguments of the erasure codec, checked and copied before a kernel sees them: a kernel reads and writes where the
 * numbers tell it, so no number reaches it that was not proved here. Whatever a caller hands over, proxies and throwing
 * getters included, the answer is a value or an error with a code.
 */
import { NgpuError } from "../../errors.ts";
import type { BlockShape, DecodeRequest, EncodingSymbol, RecoveryRequest, RepairRequest } from "./erasureCodec.ts";
import { fecLimits } from "./fecLimits.ts";

export interface CheckedRepair extends BlockShape {
  source: Uint8Array;
  firstEsi: number;
  count: number;
  into: Uint8Array | undefined;
}

export interface CheckedRecovery extends BlockShape {
  source: Uint8Array;
  lost: number[];
  /** As many as are lost. */
  repair: EncodingSymbol[];
}

export interface CheckedSymbols extends BlockShape {
  /** Source symbols that are there, by ESI. */
  present: EncodingSymbol[];
  lost: number[];
  /** As many as are lost. */
  repair: EncodingSymbol[];
}

const { maxEsis, maxK, symbolStepBytes, maxSymbolBytes } = fecLimits;

// The prototype's own getters: they tell the truth about arrays of any realm, and nothing a caller defines hides it.
const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;
const typeOf = getter<string | undefined>(Symbol.toStringTag);
const lengthOf = getter<number>("length");

export function checkRepair(request: RepairRequest): CheckedRepair {
  return guarded(() => {
    const { k, symbolBytes, source, firstEsi, count, into } = request;
    checkShape({ k, symbolBytes });
    checkBytes("source", source, k * symbolBytes);
    if (!isWithin(firstEsi, k, maxEsis - 1)) throw invalid("firstEsi", firstEsi);
    if (!isWithin(count, 1, maxEsis - firstEsi)) throw invalid("count", count);
    if (into !== undefined) {
      if (typeOf(into) !== "Uint8Array" || lengthOf(into) < count * symbolBytes) throw invalid("into");
      if (overlap(into, source)) throw invalid("into", "overlaps source");
    }
    return { k, symbolBytes, source, firstEsi, count, into };
  });
}

export function checkRecovery(request: RecoveryRequest): CheckedRecovery {
  return guarded(() => {
    const { k, symbolBytes, source, lost, repair } = request;
    checkShape({ k, symbolBytes });
    checkBytes("source", source, k * symbolBytes);
    const seen = new Uint8Array(maxEsis);
    const missing = listed("lost", lost, k).map((esi) => {
      if (!isWithin(esi, 0, k - 1)) throw invalid("lost", esi);
      mark(seen, esi);
      return esi;
    });
    const repairs = listed("repair", repair, maxEsis).map((symbol) => {
      const checked = checkSymbol(symbol, { symbolBytes, lowest: k });
      mark(seen, checked.esi);
      if (overlap(checked.bytes, source)) throw invalid("repair", "overlaps source");
      return checked;
    });
    checkEnough(k, repairs.length, missing.length);
    return { k, symbolBytes, source, lost: missing, repair: repairs.slice(0, missing.length) };
  });
}

export function checkDecode(request: DecodeRequest): CheckedSymbols {
  return guarded(() => {
    const { k, symbolBytes, symbols } = request;
    checkShape({ k, symbolBytes });
    const seen = new Uint8Array(maxEsis);
    const all = listed("symbols", symbols, maxEsis).map((symbol) => {
      const checked = checkSymbol(symbol, { symbolBytes, lowest: 0 });
      mark(seen, checked.esi);
      return checked;
    });
    const present = all.filter(({ esi }) => esi < k);
    const repair = all.filter(({ esi }) => esi >= k);
    const lost = Array.from({ length: k }, (_, esi) => esi).filter((esi) => seen[esi] === 0);
    checkEnough(k, repair.length, lost.length);
    return { k, symbolBytes, present, lost, repair: repair.slice(0, lost.length) };
  });
}

function checkShape({ k, symbolBytes }: BlockShape): void {
  if (!isWithin(k, 1, maxK)) throw invalid("k", k);
  if (!isWithin(symbolBytes, symbolStepBytes, maxSymbolBytes) || symbolBytes % symbolStepBytes !== 0) {
    throw invalid("symbolBytes", symbolBytes);
  }
}

function checkSymbol(symbol: EncodingSymbol, rule: { symbolBytes: number; lowest: number }): EncodingSymbol {
  const { esi, bytes } = symbol;
  if (!isWithin(esi, rule.lowest, maxEsis - 1)) throw invalid("esi", esi);
  checkBytes(`symbol ${esi}`, bytes, rule.symbolBytes);
  return { esi, bytes };
}

function checkBytes(name: string, bytes: Uint8Array, length: number): void {
  if (typeOf(bytes) !== "Uint8Array") throw invalid(name, "not a Uint8Array");
  if (lengthOf(bytes) !== length) throw invalid(name, `${lengthOf(bytes)} bytes instead of ${length}`);
}

/** A copy of an array whose length was checked before anything of it was read. */
function listed<T>(name: string, list: readonly T[], longest: number): T[] {
  if (!Array.isArray(list) || !isWithin(list.length, 0, longest)) throw invalid(name);
  return Array.from({ length: list.length }, (_, index) => list[index] as T);
}

function mark(seen: Uint8Array, esi: number): void {
  if (seen[esi] === 1) throw invalid("esi", `${esi} twice`);
  seen[esi] = 1;
}

function checkEnough(k: number, repairs: number, lost: number): void {
  if (repairs < lost) throw new NgpuError("FEC_SYMBOLS_SHORT", { k, lost, repairs });
}

function isWithin(value: unknown, lowest: number, highest: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= lowest && value <= highest;
}

function overlap(a: Uint8Array, b: Uint8Array): boolean {
  if (a.buffer !== b.buffer) return false;
  return a.byteOffset < b.byteOffset + b.byteLength && b.byteOffset < a.byteOffset + a.byteLength;
}

function guarded<T>(check: () => T): T {
  try {
    return check();
  } catch (cause) {
    if (cause instanceof NgpuError) throw cause;
    throw new NgpuError("FEC_ARGUMENT_INVALID", { argument: "request" }, { cause });
  }
}

function invalid(argument: string, found?: unknown): NgpuError {
  const isPlain = typeof found === "number" || typeof found === "string";
  return new NgpuError("FEC_ARGUMENT_INVALID", { argument, ...(isPlain ? { found } : {}) });
}

function getter<T>(key: PropertyKey): (value: unknown) => T {
  const read = Object.getOwnPropertyDescriptor(typedArray, key)?.get;
  if (read === undefined) throw new Error(`this engine's typed arrays have no ${String(key)}`);
  return (value) => read.call(value) as T;
}

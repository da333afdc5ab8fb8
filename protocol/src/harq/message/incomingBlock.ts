/**
 * One block that is being received: source symbols in their places, repair symbols aside, decoded when k are there.
 */
import type { EncodingSymbol } from "../../wire/fec/erasureCodec.ts";
import { messageLimits } from "./messageLimits.ts";
import type { BlockCodec } from "./ports.ts";

export interface IncomingBlock {
  /** False when the symbol was there already. */
  add(esi: number, symbol: Uint8Array): boolean;
  /** Symbols that are still needed; 0 when the block is complete. */
  deficit(): number;
  /** Where many ids are used up the sender may need to know which source symbols are missing: bit per esi. */
  missing(): Uint8Array | undefined;
  heldBytes(): number;
}

export interface IncomingBlockOptions {
  readonly k: number;
  readonly symbolBytes: number;
  /** Room for the k source symbols, zeros at first. */
  readonly place: Uint8Array;
  readonly codec: BlockCodec;
}

export function createIncomingBlock({ k, symbolBytes, place, codec }: IncomingBlockOptions): IncomingBlock {
  const seen = new Uint8Array(32);
  let repair: EncodingSymbol[] = [];
  let count = 0;
  let largestEsi = 0;
  const has = (esi: number): boolean => ((seen[esi >> 3]! >> (esi & 7)) & 1) === 1;
  const absent = (): number[] => Array.from({ length: k }, (_, esi) => esi).filter((esi) => !has(esi));
  return {
    add(esi, symbol) {
      if (count === k || has(esi)) return false;
      seen[esi >> 3]! |= 1 << (esi & 7);
      count += 1;
      largestEsi = Math.max(largestEsi, esi);
      if (esi < k) place.set(symbol, esi * symbolBytes);
      else repair.push({ esi, bytes: symbol.slice() });
      if (count < k) return true;
      if (repair.length > 0) codec.recover({ k, symbolBytes, source: place, lost: absent(), repair });
      repair = [];
      return true;
    },
    deficit: () => k - count,
    missing() {
      if (count === k || largestEsi < (k + messageLimits.ids) / 2) return undefined;
      const bitmap = new Uint8Array(16);
      for (const esi of absent()) bitmap[esi >> 3]! |= 1 << (esi & 7);
      return bitmap;
    },
    heldBytes: () => place.length + repair.length * symbolBytes,
  };
}

/**
 * One block that is being sent: its source symbols once, then repair symbols with ids that were not used before, and
 * once all 256 are used the source symbols that the receiver says it misses.
 */
import type { Partition } from "../redundancy/partition.ts";
import { messageLimits } from "./messageLimits.ts";
import type { BlockCodec } from "./ports.ts";

export interface BlockSymbol {
  readonly esi: number;
  readonly bytes: Uint8Array;
  /** Its id was used before, so that it may add nothing. */
  readonly isRepeated: boolean;
}

export interface OutgoingBlock {
  readonly index: number;
  readonly k: number;
  /** What the receiver still needs: as it last said, or as follows from what is known to have arrived since. */
  deficit(): number;
  /** What the receiver says it needs; `isFresh` where it may be more than was said before. */
  tell(deficit: number, isFresh?: boolean): void;
  /** A symbol is known to have arrived: one less is needed, unless it was sent before. */
  arrived(isRepeated: boolean): void;
  /** Symbols under way whose fate is not known. */
  outstanding: number;
  /** Symbols that should be sent beyond the source symbols. */
  wanted: number;
  sourceLeft(): number;
  idsLeft(): number;
  nextSource(): BlockSymbol | undefined;
  nextRepair(): BlockSymbol;
  /** Source symbols that the receiver misses, of use when the ids have run out. */
  setMissing(bitmap: Uint8Array): void;
}

export interface OutgoingBlockOptions {
  readonly index: number;
  readonly parts: Partition;
  /** All of the block, padded with zeros to whole symbols. */
  readonly source: Uint8Array;
  readonly codec: BlockCodec;
}

/** Groups of four repair symbols cost the least per symbol. */
const group = 4;

export function createOutgoingBlock({ index, parts, source, codec }: OutgoingBlockOptions): OutgoingBlock {
  const { symbolBytes } = parts;
  const k = parts.k(index);
  let nextSource = 0;
  let nextRepair = k;
  let made: Uint8Array | undefined;
  let madeFrom = 0;
  let missing: Uint8Array | undefined;
  let again = 0;
  let told = k;
  let arrivals = 0;

  const sourceSymbol = (esi: number): BlockSymbol => {
    const from = esi * symbolBytes;
    return { esi, bytes: source.subarray(from, from + parts.sourceBytes(index, esi)), isRepeated: false };
  };
  const isMissing = (esi: number): boolean => missing === undefined || ((missing[esi >> 3]! >> (esi & 7)) & 1) === 1;
  const sameAgain = (): BlockSymbol => {
    for (let tried = 0; tried < k; tried += 1) {
      const esi = again % k;
      again += 1;
      if (isMissing(esi)) return { ...sourceSymbol(esi), isRepeated: true };
    }
    return { ...sourceSymbol(again % k), isRepeated: true };
  };

  return {
    index,
    k,
    deficit: () => Math.min(told, Math.max(0, k - arrivals)),
    tell(deficit, isFresh = false) {
      told = isFresh ? deficit : Math.min(told, deficit);
      if (isFresh) arrivals = k - deficit;
    },
    arrived(isRepeated) {
      if (!isRepeated) arrivals += 1;
    },
    outstanding: 0,
    wanted: 0,
    sourceLeft: () => k - nextSource,
    idsLeft: () => messageLimits.ids - nextRepair,
    nextSource() {
      if (nextSource === k) return undefined;
      nextSource += 1;
      return sourceSymbol(nextSource - 1);
    },
    nextRepair() {
      if (nextRepair === messageLimits.ids) return sameAgain();
      const esi = nextRepair;
      if (made === undefined || esi >= madeFrom + made.length / symbolBytes) {
        madeFrom = esi;
        made = codec.encode({ k, symbolBytes, source, firstEsi: esi, count: Math.min(group, messageLimits.ids - esi) });
      }
      nextRepair += 1;
      const from = (esi - madeFrom) * symbolBytes;
      return { esi, bytes: made.subarray(from, from + symbolBytes), isRepeated: false };
    },
    setMissing(bitmap) {
      missing = bitmap.slice();
    },
  };
}

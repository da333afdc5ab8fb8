/**
 * How many bytes go to address prefixes that have not proved themselves: so many a second for each of a fixed number of
 * buckets, into which a keyed hash sorts them. However many prefixes ask, no more is kept.
 */
export interface PrefixBudget {
  /** False: nothing is sent there for now. */
  take(prefix: Uint8Array, bytes: number, nowUs: number): boolean;
}

export interface PrefixBudgetOptions {
  readonly bytesPerSecond: number;
  readonly burstBytes: number;
  /** Unpredictable, so that nobody can aim at another's bucket. */
  readonly hashKey: number;
  readonly buckets?: number;
}

export function createPrefixBudget(options: PrefixBudgetOptions): PrefixBudget {
  const { bytesPerSecond, burstBytes, hashKey, buckets = 4_096 } = options;
  const left = new Float64Array(buckets).fill(burstBytes);
  const seenUs = new Float64Array(buckets);
  return {
    take(prefix, bytes, nowUs) {
      const at = hash(prefix, hashKey) % buckets;
      const earned = (Math.max(0, nowUs - seenUs[at]!) * bytesPerSecond) / 1e6;
      const available = Math.min(burstBytes, left[at]! + earned);
      seenUs[at] = nowUs;
      left[at] = available >= bytes ? available - bytes : available;
      return available >= bytes;
    },
  };
}

function hash(bytes: Uint8Array, key: number): number {
  let mixed = key >>> 0;
  for (const byte of bytes) {
    mixed = Math.imul(mixed ^ byte, 0x0100_0193);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b_3c6d);
  }
  return (mixed ^ (mixed >>> 13)) >>> 0;
}

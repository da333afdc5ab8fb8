/**
 * Which packet numbers of a path arrived, in a window of the last 16,384: refuses repeats, and tells the peer in
 * ranges. A number that is older than the window counts as a repeat.
 */
import type { PacketRange } from "../wire/frames.ts";

export interface ArrivalBook {
  /** To be asked before a datagram is opened; `add` only after it proved authentic. */
  isRepeat(number: number): boolean;
  add(number: number, nowUs: number): void;
  /** -1 before anything arrived. */
  largest(): number;
  largestAtUs(): number;
  received(): number;
  /** Downwards from the largest, back to what was new four reports ago, at most `most`. */
  ranges(most: number): PacketRange[];
}

const windowNumbers = 16_384;
const reportsRepeated = 4;
const longest = 65_535;

export function createArrivalBook(): ArrivalBook {
  const seen = new Uint8Array(windowNumbers);
  let largest = -1;
  let largestAtUs = 0;
  let received = 0;
  let lowestNew = Infinity;
  const lowestOf: number[] = [];
  const has = (number: number): boolean => seen[number % windowNumbers] === 1;

  return {
    isRepeat: (number) => number <= largest - windowNumbers || (number <= largest && has(number)),
    add(number, nowUs) {
      for (let skipped = Math.max(largest + 1, number - windowNumbers + 1); skipped < number; skipped += 1) {
        seen[skipped % windowNumbers] = 0;
      }
      seen[number % windowNumbers] = 1;
      received += 1;
      lowestNew = Math.min(lowestNew, number);
      if (number <= largest) return;
      largest = number;
      largestAtUs = nowUs;
    },
    largest: () => largest,
    largestAtUs: () => largestAtUs,
    received: () => received,
    ranges(most) {
      lowestOf.push(lowestNew);
      lowestNew = Infinity;
      if (lowestOf.length > reportsRepeated) lowestOf.shift();
      const lowest = Math.max(Math.min(...lowestOf), largest - windowNumbers + 1, 0);
      const ranges: PacketRange[] = [];
      let at = largest;
      while (at >= lowest && ranges.length < most) {
        const top = at;
        while (at >= lowest && !has(at) && top - at < longest) at -= 1;
        const first = at;
        while (at >= lowest && has(at) && first - at < longest) at -= 1;
        if (first === at) break;
        ranges.push({ gap: top - first, run: first - at });
      }
      return ranges;
    },
  };
}

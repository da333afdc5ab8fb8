/** Seeded random numbers: the same seed, the same run. */
export interface Random {
  /** At least 0, below 1. */
  unit(): number;
  /** A whole number of `from` to `to`, both included. */
  integer(from: number, to: number): number;
  bytes(count: number): Uint8Array;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
}

export function createRandom(seed: number): Random {
  let state = (seed ^ 0x9e37_79b9) >>> 0;
  const word = (): number => {
    state = (state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const unit = (): number => word() / 2 ** 32;
  const integer = (from: number, to: number): number => from + Math.floor(unit() * (to - from + 1));
  return {
    unit,
    integer,
    bytes(count) {
      const words = new Uint32Array(Math.ceil(count / 4));
      for (let at = 0; at < words.length; at += 1) words[at] = word();
      return new Uint8Array(words.buffer, 0, count);
    },
    chance: (probability) => unit() < probability,
    pick: (items) => items[integer(0, items.length - 1)]!,
  };
}

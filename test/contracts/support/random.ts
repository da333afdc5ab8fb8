/** Seeded randomness for fuzz and invariant tests: the seed is printed, and SEED=… repeats a run exactly. */
import { bytesToHex, type Address, type Hex } from "viem";

export interface Random {
  /** Uniform integer of 0 … bound − 1. */
  below(bound: number): number;
  /** Integer of `bits` bits; one in four is a type edge (0, 1, largest, largest − 1). */
  uint(bits: number): bigint;
  bytes(length: number): Hex;
  address(): Address;
  pick<T>(from: readonly T[]): T;
}

export function seedFor(label: string): number {
  const seed = process.env.SEED === undefined ? (Math.random() * 2 ** 32) >>> 0 : Number(process.env.SEED);
  console.log(`${label}: SEED=${seed}`);
  return seed;
}

/** mulberry32: small, and the same on every machine. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;

  function word(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  }

  const below = (bound: number) => word() % bound;
  const bytes = (length: number) => bytesToHex(Uint8Array.from({ length }, () => word() & 0xff));
  const pick = <T>(from: readonly T[]): T => {
    const picked = from[below(from.length)];
    if (picked === undefined) throw new RangeError("nothing to pick from");
    return picked;
  };

  return {
    below,
    bytes,
    pick,
    address: () => bytes(20),
    uint(bits) {
      const largest = 2n ** BigInt(bits) - 1n;
      if (below(4) === 0) return pick([0n, 1n, largest, largest - 1n]);
      return BigInt(bytes(bits / 8));
    },
  };
}

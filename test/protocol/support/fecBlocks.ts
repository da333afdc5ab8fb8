/** Blocks, erasures and every build of the codec, for the tests of the erasure code. Random is seeded and printed. */
import { createErasureCodec } from "@ngpu/protocol/wire/fec/createErasureCodec";
import type { EncodingSymbol, ErasureCodec } from "@ngpu/protocol/wire/fec/erasureCodec";
import { fecKernels } from "@ngpu/protocol/generated/fecKernels";

export interface Block {
  k: number;
  symbolBytes: number;
  source: Uint8Array;
}

/** Numbers from 0 to below `bound`, the same for the same seed. */
export type Random = (bound: number) => number;

export const seed = Number(process.env.SEED ?? 20_261_130);

/** A stream of its own for each name, so that tests do not depend on each other's order. */
export function randomOf(name: string): Random {
  let state = [...name].reduce((sum, letter) => Math.imul(sum, 31) + (letter.codePointAt(0) ?? 0), seed) | 0;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  };
}

/** One codec for each build that was not left out, which is what engines with fewer and fewer features would run. */
export function everyBuild(): ErasureCodec[] {
  const names = Object.keys(fecKernels) as (keyof typeof fecKernels)[];
  return names.filter((name) => fecKernels[name] !== "").map((name) => {
    const wasm = Buffer.from(fecKernels[name], "base64");
    const kernel = name.startsWith("sliced") ? "portable" : "simd";
    const codec = createErasureCodec({ kernel, supports: (bytes) => wasm.equals(bytes) });
    if (codec.build !== name) throw new Error(`${name} is not what was loaded`);
    return codec;
  });
}

export function aBlock(random: Random, { k, symbolBytes }: { k: number; symbolBytes: number }): Block {
  return { k, symbolBytes, source: Uint8Array.from({ length: k * symbolBytes }, () => random(256)) };
}

/** `count` of the numbers from `first` to `end` − 1, in random order. */
export function someOf(random: Random, range: { first: number; end: number; count: number }): number[] {
  const { first, end, count } = range;
  const numbers = Array.from({ length: end - first }, (_, index) => first + index);
  for (let index = 0; index < count; index++) {
    const other = index + random(numbers.length - index);
    [numbers[index], numbers[other]] = [numbers[other] ?? 0, numbers[index] ?? 0];
  }
  return numbers.slice(0, count);
}

/** The symbols of some ESIs. */
export function symbolsOf(codec: ErasureCodec, block: Block, esis: readonly number[]): EncodingSymbol[] {
  const { k, symbolBytes, source } = block;
  const made = codec.encode({ ...block, firstEsi: k, count: 256 - k });
  return esis.map((esi) => {
    const [from, index] = esi < k ? [source, esi] : [made, esi - k];
    return { esi, bytes: from.subarray(index * symbolBytes, (index + 1) * symbolBytes) };
  });
}

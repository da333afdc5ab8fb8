/**
 * The erasure codec over a WebAssembly kernel. Symbols are copied into the kernel's memory, slice by slice where they
 * are long, and the sums copied out; all it decides itself is where things go.
 */
import { NgpuError } from "../../errors.ts";
import { checkDecode, checkRecovery, checkRepair, type CheckedRecovery } from "./checkFec.ts";
import type { EncodingSymbol, ErasureCodec, ErasureKernel } from "./erasureCodec.ts";
import { loadKernel, type Supports } from "./loadKernel.ts";

export interface ErasureCodecOptions {
  /** The default is `simd`, which gives way to `portable` where the engine cannot run it. */
  kernel?: ErasureKernel;
  /** What the engine can run; the default asks it. */
  supports?: Supports;
}

/** The slices of symbols that a kernel is given at once. */
interface Pass {
  k: number;
  symbolBytes: number;
  source: Uint8Array;
  /** Symbols that take the place of source symbols. */
  instead: readonly { slot: number; bytes: Uint8Array }[];
  /** Where row i of the output goes in `to`, in symbols. */
  places: readonly number[];
  to: Uint8Array;
}

/** Rows are written in steps of this many bytes. */
const rowStepBytes = 128;

export function createErasureCodec({ kernel: wanted = "simd", supports }: ErasureCodecOptions = {}): ErasureCodec {
  if (wanted !== "simd" && wanted !== "portable") throw new NgpuError("FEC_ARGUMENT_INVALID", { argument: "kernel" });
  const { kernel, build, exports } = loadKernel({ kernel: wanted, supports });
  const memory = new Uint8Array(exports.memory.buffer);
  const input = exports.input.value;
  const output = exports.output.value;
  const sliceBytes = exports.slice.value;

  const encode: ErasureCodec["encode"] = (request) => {
    const { k, symbolBytes, source, firstEsi, count, into } = checkRepair(request);
    const length = count * symbolBytes;
    const to = into === undefined ? new Uint8Array(length) : into.subarray(0, length);
    exports.planRepair(k, firstEsi, count);
    combine({ k, symbolBytes, source, instead: [], places: firstNumbers(count), to });
    return to;
  };

  const fill = ({ k, symbolBytes, source, lost, repair }: CheckedRecovery): void => {
    if (lost.length === 0) return;
    const instead = repair.map(({ bytes }, index) => ({ slot: lost[index] ?? 0, bytes }));
    memory.set(firstNumbers(k), exports.slots.value);
    memory.set(lost, exports.lost.value);
    for (const [index, { esi }] of repair.entries()) memory[exports.slots.value + (lost[index] ?? 0)] = esi;
    exports.planRecovery(k, lost.length);
    combine({ k, symbolBytes, source, instead, places: lost, to: source });
  };

  const combine = ({ k, symbolBytes, source, instead, places, to }: Pass): void => {
    const rows = places.length;
    for (let at = 0; at < symbolBytes; at += sliceBytes) {
      const width = Math.min(sliceBytes, symbolBytes - at);
      if (width === symbolBytes) memory.set(source, input);
      else {
        for (let slot = 0; slot < k; slot++) {
          memory.set(source.subarray(slot * symbolBytes + at, slot * symbolBytes + at + width), input + slot * width);
        }
      }
      for (const { slot, bytes } of instead) {
        memory.set(width === symbolBytes ? bytes : bytes.subarray(at, at + width), input + slot * width);
      }
      const stride = Math.ceil(width / rowStepBytes) * rowStepBytes;
      exports.combine(k, rows, width, width, stride);
      for (let row = 0; row < rows; row++) {
        const from = output + row * stride;
        to.set(memory.subarray(from, from + width), (places[row] ?? 0) * symbolBytes + at);
      }
    }
  };

  return {
    kernel,
    build,
    encode,
    recover: (request) => fill(checkRecovery(request)),
    decode: (request) => {
      const { k, symbolBytes, present, lost, repair } = checkDecode(request);
      const source = new Uint8Array(k * symbolBytes);
      place(present, symbolBytes, source);
      fill({ k, symbolBytes, source, lost, repair });
      return source;
    },
  };
}

function place(symbols: readonly EncodingSymbol[], symbolBytes: number, to: Uint8Array): void {
  for (const { esi, bytes } of symbols) to.set(bytes, esi * symbolBytes);
}

function firstNumbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

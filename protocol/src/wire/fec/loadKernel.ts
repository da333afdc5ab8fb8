/**
 * The kernels as this engine can run them. Of each there are two builds, the better first; a build that the engine
 * cannot take, or that was left out when the kernels were built, is passed over.
 */
import { fromBase64 } from "../../base64.ts";
import { NgpuError } from "../../errors.ts";
import { fecKernels } from "../../generated/fecKernels.ts";
import type { ErasureKernel } from "./erasureCodec.ts";

/** protocol/wasm/fec: what every build exports. All numbers are places or sizes in bytes. */
export type KernelExports = {
  readonly memory: WebAssembly.Memory;
  readonly input: WebAssembly.Global<"i32">;
  readonly output: WebAssembly.Global<"i32">;
  readonly slots: WebAssembly.Global<"i32">;
  readonly lost: WebAssembly.Global<"i32">;
  readonly slice: WebAssembly.Global<"i32">;
  prepare(): void;
  planRepair(k: number, firstEsi: number, rows: number): void;
  planRecovery(k: number, rows: number): void;
  combine(k: number, rows: number, width: number, inputStride: number, outputStride: number): void;
};

export interface LoadedKernel {
  kernel: ErasureKernel;
  build: KernelBuild;
  exports: KernelExports;
}

export type KernelBuild = keyof typeof fecKernels;

/** Whether an engine takes a module; a WebAssembly feature that it lacks makes the answer no. */
export type Supports = (wasm: Uint8Array<ArrayBuffer>) => boolean;

const preference: readonly { kernel: ErasureKernel; build: KernelBuild }[] = [
  { kernel: "simd", build: "shuffledRelaxed" },
  { kernel: "simd", build: "shuffled" },
  { kernel: "portable", build: "sliced128" },
  { kernel: "portable", build: "sliced64" },
];
const compiled = new Map<KernelBuild, WebAssembly.Module>();

export function loadKernel(options: { kernel: ErasureKernel; supports: Supports | undefined }): LoadedKernel {
  const { kernel: wanted, supports } = options;
  for (const { kernel, build } of preference) {
    if (wanted === "portable" && kernel !== "portable") continue;
    const exports = instantiate(build, supports);
    if (exports === undefined) continue;
    exports.prepare();
    return { kernel, build, exports };
  }
  throw new NgpuError("FEC_UNAVAILABLE", { kernel: wanted });
}

function instantiate(build: KernelBuild, supports: Supports | undefined): KernelExports | undefined {
  if (typeof WebAssembly === "undefined") return undefined;
  try {
    const module = compile(build, supports);
    return module && (new WebAssembly.Instance(module).exports as KernelExports);
  } catch (cause) {
    // What the engine could do, a page's content security policy can forbid, and memory can be short.
    throw new NgpuError("FEC_UNAVAILABLE", { build }, { cause });
  }
}

function compile(build: KernelBuild, supports: Supports | undefined): WebAssembly.Module | undefined {
  const known = supports === undefined ? compiled.get(build) : undefined;
  if (known !== undefined) return known;
  const wasm = fromBase64(fecKernels[build]) as Uint8Array<ArrayBuffer>;
  if (wasm.length === 0 || !(supports ?? WebAssembly.validate)(wasm)) return undefined;
  const module = new WebAssembly.Module(wasm);
  compiled.set(build, module);
  return module;
}

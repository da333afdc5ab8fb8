/** Declared work of a task: base + Σ coefficient × dimension, in CU·ms (docs/PROTOCOL.md §1). */
import { NgpuError } from "./errors.ts";
import type { ModelManifest } from "./manifest.ts";

export type Dimensions = Record<string, number>;

export function workCumsOf({ manifest, dimensions }: { manifest: ModelManifest; dimensions: Dimensions }): bigint {
  let work = BigInt(manifest.work.baseCums);
  for (const [name, spec] of Object.entries(manifest.dimensions)) {
    const value = dimensions[name];
    const fits = value !== undefined && Number.isSafeInteger(value) && value >= spec.minimum && value <= spec.maximum;
    if (!fits) throw new NgpuError("INPUT_DIMENSIONS", { dimension: name, value });
    work += BigInt(manifest.work.perCums[name] ?? 0) * BigInt(value);
  }
  return work;
}

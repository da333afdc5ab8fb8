/**
 * Whether a result is the expected one. Machines round differently, so numbers of a model that is not exact may differ
 * by a fiftieth; texts, counts, names and order may not.
 */
import { isRecord } from "@ngpu/protocol/isRecord";
import type { ModelManifest } from "@ngpu/protocol/manifest";

const tolerance = 0.02;

export function sameResult(request: {
  expected: unknown;
  found: unknown;
  determinism: ModelManifest["determinism"];
}): boolean {
  const { expected, found, determinism } = request;
  if (typeof expected === "number" && typeof found === "number") {
    const slack = determinism === "EXACT" ? 0 : tolerance * (1 + Math.abs(expected));
    return Math.abs(expected - found) <= slack;
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(found) || found.length !== expected.length) return false;
    return expected.every((item, index) => sameResult({ expected: item, found: found[index], determinism }));
  }
  if (!isRecord(expected)) return expected === found;
  if (!isRecord(found)) return false;
  const names = new Set([...Object.keys(expected), ...Object.keys(found)]);
  return [...names].every((name) => sameResult({ expected: expected[name], found: found[name], determinism }));
}

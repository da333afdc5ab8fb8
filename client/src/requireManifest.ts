/** A quote counts by the manifest and nodes execute by the id, so both have to be of the same model. */
import { NgpuError } from "@ngpu/protocol/errors";
import { modelIdOf } from "@ngpu/protocol/ids";
import type { ModelManifest } from "@ngpu/protocol/manifest";
import type { Hex } from "viem";

/** Throws MANIFEST_MISMATCH. */
export function requireManifest({ modelId, manifest }: { modelId: Hex; manifest: ModelManifest }): void {
  let found: Hex;
  try {
    found = modelIdOf(manifest);
  } catch (cause) {
    throw new NgpuError("MANIFEST_MISMATCH", { modelId }, { cause });
  }
  if (found !== modelId.toLowerCase()) throw new NgpuError("MANIFEST_MISMATCH", { modelId, found });
}

/**
 * The models this version of NGPU knows, by id. Browser-safe: the manifests are generated constants, never read from
 * disk.
 */
import type { Hex } from "viem";
import { models } from "./generated/models.ts";
import { NgpuError } from "./errors.ts";
import type { ModelManifest } from "./manifest.ts";

export const catalogue: readonly { readonly modelId: Hex; readonly manifest: ModelManifest }[] = models;

/** Manifest of a model; throws MODEL_UNKNOWN. */
export function manifestOf(modelId: Hex): ModelManifest {
  const wanted = modelId.toLowerCase();
  const found = catalogue.find((entry) => entry.modelId === wanted);
  if (found === undefined) throw new NgpuError("MODEL_UNKNOWN", { modelId });
  return found.manifest;
}

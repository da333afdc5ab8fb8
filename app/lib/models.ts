/** What people call a model. A model that this version does not know is named by its id. */
import { catalogue } from "@ngpu/protocol/catalogue";
import type { ModelManifest } from "@ngpu/protocol/manifest";
import type { Dimensions } from "@ngpu/protocol/work";
import { shortHash } from "./format.ts";

export function knownModel(modelId: string): ModelManifest | undefined {
  return catalogue.find((entry) => entry.modelId === modelId.toLowerCase())?.manifest;
}

export function modelTitle(modelId: string): string {
  return knownModel(modelId)?.title ?? `Model ${shortHash(modelId)}`;
}

export function defaultDimensions(manifest: ModelManifest): Dimensions {
  return Object.fromEntries(Object.entries(manifest.dimensions).map(([name, spec]) => [name, spec.default]));
}

/** Dimensions that files cannot tell, so the payer states them. */
export function statedDimensions(manifest: ModelManifest): string[] {
  return Object.keys(manifest.dimensions).filter((name) => name !== "images" && name !== "pixels");
}

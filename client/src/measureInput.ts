/** Dimensions that a payer declares for its files: measured where the files tell, else the model's default per image. */
import type { ModelManifest } from "@ngpu/protocol/manifest";
import { measureDimensions } from "@ngpu/protocol/measureDimensions";
import type { Part } from "@ngpu/protocol/sealed/payload";
import type { Dimensions } from "@ngpu/protocol/work";

/** Throws INPUT_NOT_IMAGE, INPUT_TOO_LARGE or INPUT_DIMENSIONS before anything leaves the machine. */
export function measureInput(request: {
  manifest: ModelManifest;
  parts: Part[];
  /** The payer's own figures, for instance an upper limit of text lines. */
  declared?: Dimensions;
}): { dimensions: Dimensions } {
  const { manifest, parts, declared = {} } = request;
  const measured: Dimensions = measureDimensions({ manifest, parts: parts.map((part) => part.bytes) });
  const dimensions = Object.fromEntries(
    Object.entries(manifest.dimensions).map(([name, spec]) => {
      const fallback = Math.min(spec.maximum, spec.default * parts.length);
      return [name, measured[name] ?? declared[name] ?? fallback];
    }),
  );
  return { dimensions };
}

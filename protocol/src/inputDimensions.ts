/**
 * The dimensions of a task's input (docs/PROTOCOL.md §1), computed alike by the client that declares them and the node that checks
 * them: the number of images, the kilo-pixels a detector searches, and the lines of text the payer is ready to pay for.
 */
import type { ModelManifest } from "./manifest.ts";
import type { Dimensions } from "./work.ts";

export interface Size {
  width: number;
  height: number;
}

/** Longest side that text detection searches; larger images are scaled down. */
export const textDetectionMaxSidePx = 960;
const textDetectionStepPx = 32;

/** Size at which text detection searches an image: scaled to fit, both sides multiples of 32. */
export function textDetectionSize({ width, height }: Size): Size {
  const scale = Math.min(1, textDetectionMaxSidePx / Math.max(width, height));
  const side = (px: number): number =>
    Math.max(textDetectionStepPx, Math.round((px * scale) / textDetectionStepPx) * textDetectionStepPx);
  return { width: side(width), height: side(height) };
}

/** `lines` is the payer's own limit; it matters only to models that declare it. */
export function inputDimensions(input: { manifest: ModelManifest; sizes: readonly Size[]; lines?: number }): Dimensions {
  const { manifest, sizes, lines } = input;
  const searchedPx = sizes
    .map(textDetectionSize)
    .reduce((total, { width, height }) => total + width * height, 0);
  const all: Dimensions = {
    images: sizes.length,
    pixels: Math.ceil(searchedPx / 1_000),
    lines: lines ?? manifest.dimensions.lines?.default ?? 0,
  };
  const declared = Object.keys(manifest.dimensions).map((name) => [name, all[name] ?? 0] as const);
  return Object.fromEntries(declared);
}

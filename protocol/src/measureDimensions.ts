/**
 * Dimensions that an input really has, by its headers alone: the client declares them, the node checks them.
 * `images` counts the parts; `pixels` is the kilo-pixels that text detection sees, rounded up over the whole task.
 */
import { detectionSize } from "./detectionSize.ts";
import { NgpuError } from "./errors.ts";
import { imageSize } from "./imageSize.ts";
import type { ModelManifest } from "./manifest.ts";

export function measureDimensions(input: { manifest: ModelManifest; parts: Uint8Array[] }): { images: number; pixels: number } {
  const { limits } = input.manifest;
  if (input.parts.length === 0) throw new NgpuError("INPUT_DIMENSIONS", { images: 0 });
  if (input.parts.length > limits.maxParts) {
    throw new NgpuError("INPUT_TOO_LARGE", { images: input.parts.length, most: limits.maxParts });
  }
  const totalBytes = input.parts.reduce((total, part) => total + part.length, 0);
  if (totalBytes > limits.maxInputBytes) throw new NgpuError("INPUT_TOO_LARGE", { bytes: totalBytes, most: limits.maxInputBytes });
  let pixels = 0;
  for (const part of input.parts) {
    if (part.length > limits.maxPartBytes) throw new NgpuError("INPUT_TOO_LARGE", { bytes: part.length, most: limits.maxPartBytes });
    const size = imageSize(part);
    if (!input.manifest.input.mediaTypes.includes(size.mediaType)) throw new NgpuError("INPUT_NOT_IMAGE", { mediaType: size.mediaType });
    const longestPx = Math.max(size.widthPx, size.heightPx);
    if (longestPx > limits.maxSidePx) throw new NgpuError("INPUT_TOO_LARGE", { sidePx: longestPx, most: limits.maxSidePx });
    const seen = detectionSize(size);
    pixels += seen.widthPx * seen.heightPx;
  }
  return { images: input.parts.length, pixels: Math.ceil(pixels / 1_000) };
}

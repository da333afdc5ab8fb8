/**
 * Size at which text detection sees an image: the longer side at most 960 px, both sides a multiple of 32 (the network's stride).
 * Client and node compute the declared `pixels` from it, so it is part of the adapter ocr.v1 and never changes under that name.
 */
const longestSidePx = 960;
const stridePx = 32;

export function detectionSize(image: { widthPx: number; heightPx: number }): { widthPx: number; heightPx: number } {
  const scale = Math.min(1, longestSidePx / Math.max(image.widthPx, image.heightPx));
  const fit = (sidePx: number): number => Math.max(stridePx, Math.round((sidePx * scale) / stridePx) * stridePx);
  return { widthPx: fit(image.widthPx), heightPx: fit(image.heightPx) };
}

/**
 * Decodes a PNG or JPEG to upright RGBA pixels. Header, size and inflated length are checked before anything is
 * decoded.
 */
import { inflateSync } from "node:zlib";
import { NgpuError } from "@ngpu/protocol/errors";
import { imageSize, type ImageSize } from "@ngpu/protocol/imageSize";
import { decode as decodeJpeg } from "jpeg-js";
import { PNG } from "pngjs";
import { exifOrientation } from "./exifOrientation.ts";

export interface Raster {
  width: number;
  height: number;
  /** RGBA, 8 bits each, row by row. */
  data: Uint8Array;
}

/** Throws INPUT_NOT_IMAGE or INPUT_TOO_LARGE. */
export function decodeImage(bytes: Uint8Array, { maxSidePx }: { maxSidePx: number }): Raster {
  const size = imageSize(bytes);
  if (Math.max(size.widthPx, size.heightPx) > maxSidePx) throw new NgpuError("INPUT_TOO_LARGE", { ...size, maxSidePx });
  let raster: Raster;
  try {
    raster = size.mediaType === "image/png" ? decodePng(bytes, size) : decodeJpegWithin(bytes, maxSidePx);
  } catch (cause) {
    throw new NgpuError("INPUT_NOT_IMAGE", { part: "pixels" }, { cause });
  }
  if (raster.width !== size.widthPx || raster.height !== size.heightPx)
    throw new NgpuError("INPUT_NOT_IMAGE", { part: "size" });
  return turnUpright(raster, exifOrientation(bytes));
}

function decodePng(bytes: Uint8Array, size: ImageSize): Raster {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isInterlaced = buffer[28] === 1;
  if (isInterlaced) refuseInflationBomb(buffer, size);
  return PNG.sync.read(buffer);
}

/** pngjs bounds what it inflates but for interlaced images; their seven passes hold at most this many bytes. */
function refuseInflationBomb(buffer: Buffer, { widthPx, heightPx }: ImageSize): void {
  const data: Buffer[] = [];
  for (let offset = 8; offset + 8 <= buffer.length; ) {
    const length = buffer.readUInt32BE(offset);
    if (buffer.readUInt32BE(offset + 4) === 0x49444154) data.push(buffer.subarray(offset + 8, offset + 8 + length));
    offset += 12 + length;
  }
  const widestPixelBytes = 8;
  inflateSync(Buffer.concat(data), { maxOutputLength: (widthPx * widestPixelBytes + 8) * (heightPx + 8) * 2 });
}

function decodeJpegWithin(bytes: Uint8Array, maxSidePx: number): Raster {
  const maxResolutionInMP = Math.ceil((maxSidePx * maxSidePx) / 1e6);
  return decodeJpeg(bytes, { useTArray: true, formatAsRGBA: true, maxResolutionInMP, maxMemoryUsageInMB: 768 });
}

/** Applies an EXIF orientation: for each pixel shown, where it is stored. */
function turnUpright(raster: Raster, orientation: number): Raster {
  if (orientation === 1) return raster;
  const { width: storedWidth, height: storedHeight } = raster;
  const isTurned = orientation >= 5;
  const [width, height] = isTurned ? [storedHeight, storedWidth] : [storedWidth, storedHeight];
  const stored = new Uint32Array(new Uint8Array(raster.data).buffer);
  const shown = new Uint32Array(width * height);
  const flipsX = orientation === 2 || orientation === 3 || orientation === 7 || orientation === 8;
  const flipsY = orientation === 3 || orientation === 4 || orientation === 6 || orientation === 7;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [along, down] = isTurned ? [y, x] : [x, y];
      const storedX = flipsX ? storedWidth - 1 - along : along;
      const storedY = flipsY ? storedHeight - 1 - down : down;
      shown[y * width + x] = stored[storedY * storedWidth + storedX] ?? 0;
    }
  }
  return { width, height, data: new Uint8Array(shown.buffer) };
}

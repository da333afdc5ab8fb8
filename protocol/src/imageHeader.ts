/**
 * Size, kind and orientation of a PNG or JPEG, read from its header alone: a client needs them for the quote, and a node must know
 * them before it decodes anything, because a few bytes can declare gigabytes of pixels.
 */
import { NgpuError } from "./errors.ts";

export interface ImageHeader {
  mediaType: "image/png" | "image/jpeg";
  /** As shown, after the EXIF orientation has been applied. */
  width: number;
  height: number;
  /** EXIF orientation, 1 to 8; 1 for a PNG. */
  orientation: number;
}

const pngSignature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Throws INPUT_NOT_IMAGE. */
export function readImageHeader(bytes: Uint8Array): ImageHeader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const header = pngSignature.every((byte, index) => bytes[index] === byte) ? readPng(view) : readJpeg(view);
  if (header.width === 0 || header.height === 0) throw notImage("no pixels");
  return header;
}

function readPng(view: DataView): ImageHeader {
  const isHeaderChunk = view.byteLength >= 33 && view.getUint32(8) === 13 && view.getUint32(12) === 0x49484452;
  if (!isHeaderChunk) throw notImage("png header");
  return { mediaType: "image/png", width: view.getUint32(16), height: view.getUint32(20), orientation: 1 };
}

/** Segments: FF marker, u16 length (itself included), data; SOF0 to SOF2 carry the size, APP1 the orientation. */
function readJpeg(view: DataView): ImageHeader {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) throw notImage("signature");
  let orientation = 1;
  let offset = 2;
  while (offset + 4 <= view.byteLength) {
    if (view.getUint8(offset) !== 0xff) throw notImage("jpeg marker");
    const marker = view.getUint8(offset + 1);
    if (marker === 0xff) {
      offset += 1;
      continue;
    }
    const length = view.getUint16(offset + 2);
    if (length < 2 || offset + 2 + length > view.byteLength) throw notImage("jpeg segment");
    if (marker === 0xe1) orientation = exifOrientation(view, offset + 4, length - 2) ?? orientation;
    if (marker >= 0xc0 && marker <= 0xc2) {
      if (length < 8) throw notImage("jpeg frame");
      const [height, width] = [view.getUint16(offset + 5), view.getUint16(offset + 7)];
      const size = orientation >= 5 ? { width: height, height: width } : { width, height };
      return { mediaType: "image/jpeg", ...size, orientation };
    }
    const hasNoSize = marker === 0xda || marker === 0xd9 || (marker >= 0xc3 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xcc);
    if (hasNoSize) throw notImage("jpeg kind");
    offset += 2 + length;
  }
  throw notImage("jpeg end");
}

function exifOrientation(view: DataView, start: number, length: number): number | undefined {
  const isExif = length >= 20 && view.getUint32(start) === 0x45786966 && view.getUint16(start + 4) === 0;
  if (!isExif) return undefined;
  const tiff = start + 6;
  const end = start + length;
  const little = view.getUint16(tiff) === 0x4949;
  const directory = tiff + view.getUint32(tiff + 4, little);
  if (directory + 2 > end) return undefined;
  const entries = view.getUint16(directory, little);
  for (let entry = directory + 2; entry < directory + 2 + entries * 12 && entry + 12 <= end; entry += 12) {
    if (view.getUint16(entry, little) !== 0x0112) continue;
    const value = view.getUint16(entry + 8, little);
    return value >= 1 && value <= 8 ? value : undefined;
  }
  return undefined;
}

function notImage(part: string): NgpuError {
  return new NgpuError("INPUT_NOT_IMAGE", { part });
}

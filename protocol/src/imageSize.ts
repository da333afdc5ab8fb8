/** Width and height from the first bytes of a PNG or JPEG, without decoding: the check that comes before any allocation. */
import { NgpuError } from "./errors.ts";

export interface ImageSize {
  mediaType: "image/png" | "image/jpeg";
  widthPx: number;
  heightPx: number;
}

const pngMagic = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Throws INPUT_NOT_IMAGE for anything else, a truncated header or an empty picture. */
export function imageSize(bytes: Uint8Array): ImageSize {
  const size = pngSize(bytes) ?? jpegSize(bytes);
  if (size === undefined || size.widthPx === 0 || size.heightPx === 0) throw new NgpuError("INPUT_NOT_IMAGE", {});
  return size;
}

function pngSize(bytes: Uint8Array): ImageSize | undefined {
  if (bytes.length < 24 || pngMagic.some((byte, index) => bytes[index] !== byte)) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { mediaType: "image/png", widthPx: view.getUint32(16), heightPx: view.getUint32(20) };
}

function jpegSize(bytes: Uint8Array): ImageSize | undefined {
  if (bytes.length < 4 || bytes[0] !== 0xff || bytes[1] !== 0xd8) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let offset = 2;
  while (offset + 9 < bytes.length) {
    if (bytes[offset] !== 0xff) return undefined;
    const marker = bytes[offset + 1] ?? 0;
    if (marker === 0xff) {
      offset += 1;
      continue;
    }
    // Start-of-frame markers carry the size; C4, C8 and CC share the range but are tables.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) {
      return { mediaType: "image/jpeg", widthPx: view.getUint16(offset + 7), heightPx: view.getUint16(offset + 5) };
    }
    const standalone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd9);
    offset += standalone ? 2 : 2 + view.getUint16(offset + 2);
  }
  return undefined;
}

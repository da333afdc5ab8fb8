/**
 * EXIF orientation of a JPEG, 1 to 8: phones store a picture as the sensor saw it and say here how to turn it. People
 * and browsers see it turned, so text is read and coordinates are given that way.
 */
const upright = 1;

export function exifOrientation(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return upright;
  // Segments: FF marker, u16 length (itself included), data. The picture begins at marker DA; APP1 (E1) may hold EXIF.
  for (let offset = 2; offset + 4 <= view.byteLength && view.getUint8(offset) === 0xff; ) {
    const marker = view.getUint8(offset + 1);
    const length = view.getUint16(offset + 2);
    if (marker === 0xda || length < 2 || offset + 2 + length > view.byteLength) return upright;
    const found = marker === 0xe1 ? readOrientation(view, offset + 4, length - 2) : undefined;
    if (found !== undefined) return found;
    offset += 2 + length;
  }
  return upright;
}

/** "Exif", two zeros, then a TIFF file: byte order, magic, offset of a directory of 12-byte entries. */
function readOrientation(view: DataView, start: number, length: number): number | undefined {
  const isExif = length >= 20 && view.getUint32(start) === 0x45786966 && view.getUint16(start + 4) === 0;
  if (!isExif) return undefined;
  const tiff = start + 6;
  const end = start + length;
  const isLittleEndian = view.getUint16(tiff) === 0x4949;
  const directory = tiff + view.getUint32(tiff + 4, isLittleEndian);
  if (directory + 2 > end) return undefined;
  const entries = view.getUint16(directory, isLittleEndian);
  for (let entry = directory + 2; entry < directory + 2 + entries * 12 && entry + 12 <= end; entry += 12) {
    if (view.getUint16(entry, isLittleEndian) !== orientationTag) continue;
    const value = view.getUint16(entry + 8, isLittleEndian);
    return value >= 1 && value <= 8 ? value : undefined;
  }
  return undefined;
}

const orientationTag = 0x0112;

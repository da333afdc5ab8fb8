/** Pictures for tests: the dApp's samples, real photographs, and files that only claim to be pictures. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";

const root = join(import.meta.dirname, "../../..");

export function textSample(name: string): Uint8Array {
  return new Uint8Array(readFileSync(join(root, "app/public/samples/text", name)));
}

export function photo(number: number): Uint8Array {
  return new Uint8Array(readFileSync(join(root, `node_modules/@vladmandic/face-api/demo/sample${number}.jpg`)));
}

/** A PNG whose header declares any size, over the image data given. */
export function pngDeclaring(options: {
  width: number;
  height: number;
  data?: Uint8Array;
  interlaced?: boolean;
}): Uint8Array {
  const { width, height, data = new Uint8Array(8), interlaced = false } = options;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, interlaced ? 1 : 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return new Uint8Array(
    Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", deflateSync(data)), chunk("IEND", Buffer.alloc(0))]),
  );
}

/** The JPEG with an EXIF segment that says how to turn it. */
export function turnedJpeg(jpeg: Uint8Array, orientation: number): Uint8Array {
  const tiff = Buffer.from([
    0x4d,
    0x4d,
    0,
    0x2a,
    0,
    0,
    0,
    8,
    0,
    1,
    0x01,
    0x12,
    0,
    3,
    0,
    0,
    0,
    1,
    0,
    orientation,
    0,
    0,
    0,
    0,
    0,
    0,
  ]);
  const content = Buffer.concat([Buffer.from("Exif\0\0", "latin1"), tiff]);
  const head = Buffer.from([0xff, 0xe1, 0, content.length + 2]);
  return new Uint8Array(Buffer.concat([jpeg.subarray(0, 2), head, content, jpeg.subarray(2)]));
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

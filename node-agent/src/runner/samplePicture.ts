/** A picture made here, the same on every machine: dark bars that text detection takes for a few lines. As JPEG. */
import { encode } from "jpeg-js";

const sidePx = 512;
let made: Uint8Array | undefined;

export function samplePicture(): Uint8Array {
  made ??= encode({ width: sidePx, height: sidePx, data: stripes() }, 80).data;
  return made;
}

function stripes(): Buffer {
  const data = Buffer.alloc(sidePx * sidePx * 4, 255);
  for (let y = 0; y < sidePx; y++) {
    for (let x = 40; x < sidePx - 40; x++) {
      const isInk = y % 64 < 24 && (x * 7 + y * 3) % 11 < 5;
      if (isInk) data.fill(20, (y * sidePx + x) * 4, (y * sidePx + x) * 4 + 3);
    }
  }
  return data;
}

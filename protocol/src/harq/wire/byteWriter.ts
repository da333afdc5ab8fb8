/** Writes big-endian integers and runs of bytes into a buffer of fixed capacity; nothing is cut to fit. */
import { NgpuError } from "../../errors.ts";

export interface ByteWriter {
  u8(value: number): void;
  u16(value: number): void;
  u32(value: number): void;
  u40(value: number): void;
  u48(value: number): void;
  put(bytes: Uint8Array): void;
  /** What was written so far, as a view. */
  written(): Uint8Array;
}

export function createByteWriter(buffer: Uint8Array): ByteWriter {
  let offset = 0;
  const claim = (count: number): number => {
    const from = offset;
    if (count > buffer.length - from) throw new NgpuError("WIRE_TOO_LARGE", { capacity: buffer.length });
    offset += count;
    return from;
  };
  const integer = (width: number, value: number): void => {
    if (!Number.isInteger(value) || value < 0 || value >= 256 ** width) {
      throw new NgpuError("INTERNAL", { width, value });
    }
    let rest = value;
    const from = claim(width);
    for (let at = from + width - 1; at >= from; at -= 1) {
      buffer[at] = rest % 256;
      rest = Math.floor(rest / 256);
    }
  };
  return {
    u8: (value) => integer(1, value),
    u16: (value) => integer(2, value),
    u32: (value) => integer(4, value),
    u40: (value) => integer(5, value),
    u48: (value) => integer(6, value),
    put(bytes) {
      buffer.set(bytes, claim(bytes.length));
    },
    written: () => buffer.subarray(0, offset),
  };
}

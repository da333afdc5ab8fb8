/** Reads big-endian integers and runs of bytes from untrusted bytes; what is not there is never read. */
import { malformed } from "./malformed.ts";

export interface ByteReader {
  u8(): number;
  u16(): number;
  u32(): number;
  u40(): number;
  u48(): number;
  /** A view, not a copy. */
  take(count: number): Uint8Array;
  rest(): Uint8Array;
  left(): number;
}

export function createByteReader(bytes: Uint8Array): ByteReader {
  let offset = 0;
  const advance = (count: number): number => {
    const from = offset;
    if (count > bytes.length - from) throw malformed("short");
    offset += count;
    return from;
  };
  const integer = (width: number): number => {
    const from = advance(width);
    let value = 0;
    for (let at = from; at < from + width; at += 1) value = value * 256 + bytes[at]!;
    return value;
  };
  return {
    u8: () => integer(1),
    u16: () => integer(2),
    u32: () => integer(4),
    u40: () => integer(5),
    u48: () => integer(6),
    take(count) {
      const from = advance(count);
      return bytes.subarray(from, from + count);
    },
    rest: () => bytes.subarray(advance(bytes.length - offset)),
    left: () => bytes.length - offset,
  };
}

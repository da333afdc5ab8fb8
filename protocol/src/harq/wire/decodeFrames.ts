/**
 * The body of a datagram to frames. Everything is checked against the bytes that are there before anything is kept;
 * symbols and bitmaps are views of the body. Throws WIRE_MALFORMED and nothing else.
 */
import { createByteReader, type ByteReader } from "./byteReader.ts";
import { deficitBytes, missingBytes, rangeBytes } from "./frameBytes.ts";
import { frameCodes, verdicts, type Frame, type MessageShape, type StatusFrame, type SymbolFrame } from "./frames.ts";
import { malformed } from "./malformed.ts";

export const largestKmax = 128;

export function decodeFrames(body: Uint8Array): Frame[] {
  const reader = createByteReader(body);
  const frames: Frame[] = [];
  while (reader.left() > 0) {
    const code = reader.u8();
    if (code === frameCodes.pad) {
      if (reader.rest().some((byte) => byte !== 0)) throw malformed("padding");
      break;
    }
    frames.push(decodeFrame(reader, code));
  }
  return frames;
}

function decodeFrame(reader: ByteReader, code: number): Frame {
  switch (code) {
    case frameCodes.symbol:
    case frameCodes.symbolWithLength:
      return decodeSymbol(reader, code === frameCodes.symbol);
    case frameCodes.end:
      return { type: "end", message: reader.u32(), length: positive(reader.u40()), sha256: reader.take(32) };
    case frameCodes.status:
      return decodeStatus(reader);
    case frameCodes.done: {
      const message = reader.u32();
      const verdict = verdicts[reader.u8()];
      if (verdict === undefined) throw malformed("verdict");
      return { type: "done", message, verdict };
    }
    case frameCodes.doneAck:
      return { type: "doneAck", message: reader.u32() };
    case frameCodes.ping:
      return { type: "ping" };
    case frameCodes.challenge:
      return { type: "challenge", data: reader.take(8) };
    case frameCodes.response:
      return { type: "response", data: reader.take(8) };
    case frameCodes.cancel:
      return { type: "cancel", message: reader.u32(), length: positive(reader.u40()), code: reader.u16() };
    case frameCodes.resume: {
      const message = reader.u32();
      const shape = shapeOf({ message, length: reader.u40(), kmax: reader.u8(), size: reader.u8() });
      const sha256 = reader.take(32);
      const firstBlock = reader.u16();
      return { type: "resume", ...shape, sha256, firstBlock, received: reader.take(reader.u8()) };
    }
    case frameCodes.close: {
      const closeCode = reader.u16();
      const length = reader.u8();
      if (length > 64) throw malformed("close text");
      return { type: "close", code: closeCode, text: decodeText(reader.take(length)) };
    }
    default:
      throw malformed("frame code");
  }
}

function decodeSymbol(reader: ByteReader, toTheEnd: boolean): SymbolFrame {
  const message = reader.u32();
  const block = reader.u16();
  const esi = reader.u8();
  const kmax = reader.u8();
  const length = reader.u40();
  const coding = reader.u8();
  const shape = shapeOf({ message, length, kmax, size: reader.u8() });
  const symbol = toTheEnd ? reader.rest() : reader.take(reader.u16());
  if (symbol.length === 0 || symbol.length > shape.symbolBytes) throw malformed("symbol bytes");
  return { type: "symbol", ...shape, block, esi, priority: coding >> 4, codec: coding & 15, symbol };
}

function decodeStatus(reader: ByteReader): StatusFrame {
  const path = reader.u8();
  const largest = reader.u48();
  const ageUs = reader.u32();
  const received = reader.u48();
  const credit = reader.u48();
  let below = largest + 1;
  const ranges = list(reader, rangeBytes, () => {
    const range = { gap: reader.u16(), run: reader.u16() };
    below -= range.gap + range.run;
    if (range.run === 0 || below < 0) throw malformed("ranges");
    return range;
  });
  const deficits = list(reader, deficitBytes, () => {
    const entry = { message: reader.u32(), block: reader.u16(), deficit: reader.u8() };
    if (entry.deficit > largestKmax) throw malformed("deficit");
    return entry;
  });
  const missing = list(reader, missingBytes, () => ({
    message: reader.u32(),
    block: reader.u16(),
    bitmap: reader.take(16),
  }));
  return { type: "status", path, largest, ageUs, received, credit, ranges, deficits, missing };
}

function list<T>(reader: ByteReader, width: number, item: () => T): T[] {
  const count = reader.u8();
  if (count * width > reader.left()) throw malformed("count");
  return Array.from({ length: count }, item);
}

function shapeOf(fields: { message: number; length: number; kmax: number; size: number }): MessageShape {
  const { message, length, kmax, size } = fields;
  if (kmax === 0 || kmax > largestKmax) throw malformed("kmax");
  if (size === 0) throw malformed("symbol size");
  return { message, length: positive(length), kmax, symbolBytes: size * 64 };
}

function positive(length: number): number {
  if (length === 0) throw malformed("length");
  return length;
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw malformed("close text");
  }
}

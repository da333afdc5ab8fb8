/**
 * Frames to the body of a datagram. A SYMBOL that comes last and is not padded takes the rest of the datagram; any
 * other carries its length.
 */
import { NgpuError } from "../../errors.ts";
import { createByteWriter, type ByteWriter } from "./byteWriter.ts";
import { frameCodes, verdicts, type Frame, type StatusFrame, type SymbolFrame } from "./frames.ts";

export interface EncodeOptions {
  readonly capacity: number;
  /** Fill the body up to its capacity, as probes of a path's packet size do. */
  readonly padded?: boolean;
  /** Memory of at least the capacity to write into, and to be used again; of its own where it is not given. */
  readonly buffer?: Uint8Array;
}

export function encodeFrames(frames: readonly Frame[], options: EncodeOptions): Uint8Array {
  const { capacity, padded = false, buffer: given } = options;
  const buffer = given?.subarray(0, capacity) ?? new Uint8Array(capacity);
  const writer = createByteWriter(buffer);
  frames.forEach((frame, at) => encodeFrame(writer, frame, !padded && at === frames.length - 1));
  if (!padded) return writer.written();
  return buffer.fill(0, writer.written().length);
}

function encodeFrame(writer: ByteWriter, frame: Frame, isLast: boolean): void {
  switch (frame.type) {
    case "symbol":
      return encodeSymbol(writer, frame, isLast);
    case "end":
      writer.u8(frameCodes.end);
      writer.u32(frame.message);
      writer.u40(frame.length);
      return putExactly(writer, frame.sha256, 32);
    case "status":
      return encodeStatus(writer, frame);
    case "done":
      writer.u8(frameCodes.done);
      writer.u32(frame.message);
      return writer.u8(verdicts.indexOf(frame.verdict));
    case "doneAck":
      writer.u8(frameCodes.doneAck);
      return writer.u32(frame.message);
    case "ping":
      return writer.u8(frameCodes.ping);
    case "challenge":
    case "response":
      writer.u8(frameCodes[frame.type]);
      return putExactly(writer, frame.data, 8);
    case "cancel":
      writer.u8(frameCodes.cancel);
      writer.u32(frame.message);
      writer.u40(frame.length);
      return writer.u16(frame.code);
    case "resume":
      writer.u8(frameCodes.resume);
      writer.u32(frame.message);
      writer.u40(frame.length);
      writer.u8(frame.kmax);
      writer.u8(frame.symbolBytes / 64);
      putExactly(writer, frame.sha256, 32);
      writer.u16(frame.firstBlock);
      writer.u8(frame.received.length);
      return writer.put(frame.received);
    case "close": {
      const text = new TextEncoder().encode(frame.text);
      if (text.length > 64) throw new NgpuError("INTERNAL", { closeTextBytes: text.length });
      writer.u8(frameCodes.close);
      writer.u16(frame.code);
      writer.u8(text.length);
      return writer.put(text);
    }
  }
}

function encodeSymbol(writer: ByteWriter, frame: SymbolFrame, isLast: boolean): void {
  writer.u8(isLast ? frameCodes.symbol : frameCodes.symbolWithLength);
  writer.u32(frame.message);
  writer.u16(frame.block);
  writer.u8(frame.esi);
  writer.u8(frame.kmax);
  writer.u40(frame.length);
  writer.u8((frame.priority << 4) | frame.codec);
  writer.u8(frame.symbolBytes / 64);
  if (!isLast) writer.u16(frame.symbol.length);
  writer.put(frame.symbol);
}

function encodeStatus(writer: ByteWriter, frame: StatusFrame): void {
  writer.u8(frameCodes.status);
  writer.u8(frame.path);
  writer.u48(frame.largest);
  writer.u32(frame.ageUs);
  writer.u48(frame.received);
  writer.u48(frame.credit);
  writer.u8(frame.ranges.length);
  for (const { gap, run } of frame.ranges) {
    writer.u16(gap);
    writer.u16(run);
  }
  writer.u8(frame.deficits.length);
  for (const { message, block, deficit } of frame.deficits) {
    writer.u32(message);
    writer.u16(block);
    writer.u8(deficit);
  }
  writer.u8(frame.missing.length);
  for (const { message, block, bitmap } of frame.missing) {
    writer.u32(message);
    writer.u16(block);
    putExactly(writer, bitmap, 16);
  }
}

function putExactly(writer: ByteWriter, bytes: Uint8Array, count: number): void {
  if (bytes.length !== count) throw new NgpuError("INTERNAL", { bytes: bytes.length, expected: count });
  writer.put(bytes);
}

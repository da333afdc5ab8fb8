/**
 * Grammar of the pipe between agent and runner, both directions:
 *
 *   frame  = u32le length ‖ u8 type ‖ u32le headerLength ‖ header (UTF-8 JSON) ‖ bytes        length counts what follows it
 *
 * Lengths are checked before anything is collected; a violation ends the connection, because the other side is broken
 * or hostile.
 */
import { NgpuError } from "@ngpu/protocol/errors";

export const frameType = { load: 1, execute: 2, ready: 17, progress: 18, result: 19, failed: 20, loading: 21 } as const;

export interface PipeFrame {
  type: number;
  header: Record<string, unknown>;
  bytes: Uint8Array;
}

const lengthBytes = 4;
const fixedBytes = 5;
const maxHeaderBytes = 1024 * 1024;
const maxFrameBytes = 40 * 1024 * 1024;
const noBytes = new Uint8Array(0);

export function encodePipeFrame({
  type,
  header,
  bytes = noBytes,
}: {
  type: number;
  header: object;
  bytes?: Uint8Array;
}): Buffer {
  const json = Buffer.from(JSON.stringify(header));
  const length = fixedBytes + json.length + bytes.length;
  if (json.length > maxHeaderBytes || length > maxFrameBytes) throw new NgpuError("WIRE_TOO_LARGE", { length });
  const head = Buffer.alloc(lengthBytes + fixedBytes);
  head.writeUInt32LE(length, 0);
  head.writeUInt8(type, lengthBytes);
  head.writeUInt32LE(json.length, lengthBytes + 1);
  return Buffer.concat([head, json, bytes]);
}

/** Collects chunks into frames. Throws WIRE_TOO_LARGE or WIRE_MALFORMED as soon as a length is impossible. */
export function createPipeDecoder(): (chunk: Uint8Array) => PipeFrame[] {
  let chunks: Uint8Array[] = [];
  let collected = 0;
  let wanted = lengthBytes;

  return (chunk) => {
    chunks.push(chunk);
    collected += chunk.length;
    const frames: PipeFrame[] = [];
    while (collected >= wanted) {
      const joined = chunks.length === 1 && chunks[0] !== undefined ? Buffer.from(chunks[0]) : Buffer.concat(chunks);
      const length = joined.readUInt32LE(0);
      if (length > maxFrameBytes) throw new NgpuError("WIRE_TOO_LARGE", { length });
      if (length < fixedBytes) throw new NgpuError("WIRE_MALFORMED", { path: "length" });
      const end = lengthBytes + length;
      const rest = joined.length >= end ? joined.subarray(end) : joined;
      if (rest !== joined) frames.push(decodeOne(joined.subarray(lengthBytes, end)));
      chunks = rest.length > 0 ? [rest] : [];
      collected = rest.length;
      wanted = rest === joined ? end : lengthBytes;
    }
    return frames;
  };
}

function decodeOne(frame: Buffer): PipeFrame {
  const headerLength = frame.readUInt32LE(1);
  if (headerLength > maxHeaderBytes || headerLength > frame.length - fixedBytes)
    throw new NgpuError("WIRE_MALFORMED", { path: "header" });
  const headerEnd = fixedBytes + headerLength;
  let header: unknown;
  try {
    header = JSON.parse(frame.toString("utf8", fixedBytes, headerEnd));
  } catch (cause) {
    throw new NgpuError("WIRE_MALFORMED", { path: "header" }, { cause });
  }
  if (typeof header !== "object" || header === null || Array.isArray(header))
    throw new NgpuError("WIRE_MALFORMED", { path: "header" });
  return { type: frame.readUInt8(0), header: header as Record<string, unknown>, bytes: frame.subarray(headerEnd) };
}

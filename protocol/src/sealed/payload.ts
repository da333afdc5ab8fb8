/**
 * The body that is sealed (docs/PROTOCOL.md §4): u32le headerLength ‖ header (UTF-8 JSON) ‖ part*.
 * Lengths are checked before anything is allocated; part names are data, never paths.
 */
import { isRecord } from "../isRecord.ts";
import { NgpuError } from "../errors.ts";
import { joinBytes } from "../bytes.ts";

export interface Part {
  name: string;
  mediaType: string;
  bytes: Uint8Array;
}

export interface Payload {
  /** Declared dimensions and options, integers and strings only. */
  parameters: Record<string, number | string>;
  parts: Part[];
}

const maxHeaderBytes = 64 * 1024;
const maxParts = 256;

export function encodePayload({ parameters, parts }: Payload): Uint8Array {
  const described = parts.map(({ name, mediaType, bytes }) => ({ name, mediaType, bytes: bytes.length }));
  const header = new TextEncoder().encode(JSON.stringify({ parameters, parts: described }));
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, header.length, true);
  return joinBytes(length, header, ...parts.map((part) => part.bytes));
}

export function decodePayload(body: Uint8Array): Payload {
  if (body.length < 4) throw malformed("shorter than its length field");
  const headerLength = new DataView(body.buffer, body.byteOffset, body.byteLength).getUint32(0, true);
  if (headerLength > maxHeaderBytes || headerLength > body.length - 4) throw malformed("header length");
  const { parameters, parts } = parseHeader(body.subarray(4, 4 + headerLength));
  let offset = 4 + headerLength;
  const taken = parts.map(({ name, mediaType, bytes }) => {
    if (bytes > body.length - offset) throw malformed("part beyond the end");
    const part = { name, mediaType, bytes: body.subarray(offset, offset + bytes) };
    offset += bytes;
    return part;
  });
  if (offset !== body.length) throw malformed("bytes after the last part");
  return { parameters, parts: taken };
}

interface Header {
  parameters: Record<string, number | string>;
  parts: { name: string; mediaType: string; bytes: number }[];
}

function parseHeader(bytes: Uint8Array): Header {
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new NgpuError("PAYLOAD_MALFORMED", { part: "header" }, { cause });
  }
  if (!isRecord(header) || !isRecord(header.parameters) || !Array.isArray(header.parts)) throw malformed("header shape");
  if (header.parts.length > maxParts) throw malformed("too many parts");
  const parameters: Header["parameters"] = {};
  for (const [key, value] of Object.entries(header.parameters)) {
    if (typeof value !== "string" && !Number.isSafeInteger(value)) throw malformed(`parameter ${key.slice(0, 40)}`);
    parameters[key] = value as number | string;
  }
  const parts = header.parts.map((part: unknown) => {
    const fits =
      isRecord(part) &&
      typeof part.name === "string" &&
      typeof part.mediaType === "string" &&
      Number.isSafeInteger(part.bytes) &&
      (part.bytes as number) >= 0;
    if (!fits) throw malformed("part");
    return { name: part.name as string, mediaType: part.mediaType as string, bytes: part.bytes as number };
  });
  return { parameters, parts };
}

function malformed(part: string): NgpuError {
  return new NgpuError("PAYLOAD_MALFORMED", { part });
}

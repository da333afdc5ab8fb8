/**
 * Blobs as messages of the coded transport (docs/PROTOCOL.md §5): what HTTP at a gateway says in a method, a path and
 * headers stands before the blob's bytes, so that a request and an answer are one message each.
 *
 *   request = version u8 (1) ‖ kind u8 ‖ request u32 ‖ taskId (32) ‖ hash (32) ‖ length u16 ‖ authorization ‖ blob
 *   of a part of a model's file: modelId and SHA-256 in the places of taskId and hash, its offset u48 in that of the blob
 *   answer  = version u8 (1) ‖ kind u8 ‖ request u32 ‖ blob, or size u48, or result u8, or code (UTF-8)
 */
import { hexToBytes, bytesToHex, type Hex } from "viem";
import { isErrorCode, NgpuError, type ErrorCode } from "../errors.ts";
import { createByteReader, type ByteReader } from "../harq/wire/byteReader.ts";
import { createByteWriter } from "../harq/wire/byteWriter.ts";
import { malformed } from "../harq/wire/malformed.ts";

const version = 1;
const requestKinds = { get: 1, put: 2, head: 3, part: 4 } as const;
const offsetBytes = 6;
const answerKinds = { blob: 0x81, stored: 0x82, size: 0x83, refused: 0x84 } as const;
const requestFixedBytes = 2 + 4 + 32 + 32 + 2;
const answerFixedBytes = 2 + 4;
const mostAuthorizationBytes = 4_096;
/** A request's bytes before its blob are never more. */
export const mostRequestHeadBytes = requestFixedBytes + mostAuthorizationBytes;

export type BlobRequestKind = keyof typeof requestKinds;

/** What stands before the blob of a request. */
export interface BlobRequestHead {
  readonly kind: BlobRequestKind;
  /** Chosen by who asks; the answer repeats it. */
  readonly request: number;
  readonly taskId: Hex;
  readonly hash: Hex;
  /** As in the header of that name. */
  readonly authorization: string;
}

export type BlobAnswer =
  | { readonly kind: "blob"; readonly request: number; readonly bytes: Uint8Array }
  | { readonly kind: "stored"; readonly request: number; readonly wasPresent: boolean }
  | { readonly kind: "size"; readonly request: number; readonly bytes: number }
  | { readonly kind: "refused"; readonly request: number; readonly code: ErrorCode };

/** The bytes before the blob; the blob of a put follows them in the same message. */
export function encodeRequestHead({ kind, request, taskId, hash, authorization }: BlobRequestHead): Uint8Array {
  const signed = new TextEncoder().encode(authorization);
  if (signed.length > mostAuthorizationBytes) throw new NgpuError("WIRE_TOO_LARGE", { part: "authorization" });
  const writer = createByteWriter(new Uint8Array(requestFixedBytes + signed.length));
  writer.u8(version);
  writer.u8(requestKinds[kind]);
  writer.u32(request);
  writer.put(hexToBytes(taskId));
  writer.put(hexToBytes(hash));
  writer.u16(signed.length);
  writer.put(signed);
  return writer.written();
}

/** The head, and what follows it, as a view; throws WIRE_MALFORMED, also where `bytes` ends within the head. */
export function decodeRequest(bytes: Uint8Array): { head: BlobRequestHead; blob: Uint8Array } {
  const reader = createByteReader(bytes);
  const kind = kindOf(reader, requestKinds);
  const request = reader.u32();
  const taskId = bytesToHex(reader.take(32));
  const hash = bytesToHex(reader.take(32));
  const length = reader.u16();
  if (length > mostAuthorizationBytes) throw malformed("authorization");
  const authorization = textOf(reader.take(length));
  const blob = reader.rest();
  if (kind === "part" ? blob.length !== offsetBytes : kind !== "put" && blob.length > 0) throw malformed("blob");
  return { head: { kind, request, taskId, hash, authorization }, blob };
}

/** What follows the head of a request for a part. */
export function encodeOffset(offset: number): Uint8Array {
  const writer = createByteWriter(new Uint8Array(offsetBytes));
  writer.u48(offset);
  return writer.written();
}

/** Throws WIRE_MALFORMED. */
export function decodeOffset(bytes: Uint8Array): number {
  return createByteReader(bytes).u48();
}

/** The bytes before the blob of an answer of kind `blob`. */
export function encodeBlobHead(request: number): Uint8Array {
  return answerHead("blob", request, 0).written();
}

export function encodeAnswer(answer: Exclude<BlobAnswer, { kind: "blob" }>): Uint8Array {
  const code = answer.kind === "refused" ? new TextEncoder().encode(answer.code) : new Uint8Array();
  const writer = answerHead(answer.kind, answer.request, Math.max(code.length, 6));
  if (answer.kind === "stored") writer.u8(Number(answer.wasPresent));
  else if (answer.kind === "size") writer.u48(answer.bytes);
  else writer.put(code);
  return writer.written();
}

/** A blob is a view of `bytes`. Throws WIRE_MALFORMED; a code that is not in the catalogue reads as INTERNAL. */
export function decodeAnswer(bytes: Uint8Array): BlobAnswer {
  const reader = createByteReader(bytes);
  const kind = kindOf(reader, answerKinds);
  const request = reader.u32();
  if (kind === "blob") return { kind, request, bytes: reader.rest() };
  const answer: BlobAnswer =
    kind === "stored"
      ? { kind, request, wasPresent: reader.u8() === 1 }
      : kind === "size"
        ? { kind, request, bytes: reader.u48() }
        : { kind, request, code: codeIn(textOf(reader.rest())) };
  if (reader.left() > 0) throw malformed("length");
  return answer;
}

function answerHead(kind: BlobAnswer["kind"], request: number, room: number): ReturnType<typeof createByteWriter> {
  const writer = createByteWriter(new Uint8Array(answerFixedBytes + room));
  writer.u8(version);
  writer.u8(answerKinds[kind]);
  writer.u32(request);
  return writer;
}

function kindOf<K extends string>(reader: ByteReader, kinds: Readonly<Record<K, number>>): K {
  if (reader.u8() !== version) throw malformed("version");
  const value = reader.u8();
  const kind = (Object.keys(kinds) as K[]).find((name) => kinds[name] === value);
  if (kind === undefined) throw malformed("kind");
  return kind;
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw malformed("text");
  }
}

function codeIn(text: string): ErrorCode {
  return isErrorCode(text) ? text : "INTERNAL";
}

/**
 * The answer to a datagram from an address that has not proved itself: a token to show there. It is not sealed, as
 * whoever sends it has no keys; it repeats what only a reader of the refused datagram can know.
 *
 *     u8 0x40 | version << 3 | 3 · bytes 1 to 15 of the refused datagram · token 44
 */
import { joinBytes } from "../../bytes.ts";
import { datagramTypes, decodeHeader, headerBytes, wireVersion, type DatagramHeader } from "../wire/datagramHeader.ts";
import { pathTokenBytes } from "./pathToken.ts";

const firstByte = 0x40 | (wireVersion << 3) | datagramTypes.indexOf("retry");
/** Shorter than the shortest datagram with anything in it that matters, so that no answer is larger than its cause. */
export const retryBytes = headerBytes + pathTokenBytes;

export function encodeRetry(refused: Uint8Array, token: Uint8Array): Uint8Array {
  return joinBytes(Uint8Array.of(firstByte), refused.subarray(1, headerBytes), token);
}

export interface Retry {
  /** Of the refused datagram, but for its type and phase. */
  readonly header: DatagramHeader;
  readonly token: Uint8Array;
}

/** Undefined when it is none. */
export function decodeRetry(bytes: Uint8Array): Retry | undefined {
  if (bytes.length !== retryBytes || bytes[0] !== firstByte) return undefined;
  return { header: decodeHeader(bytes), token: bytes.slice(headerBytes) };
}

/**
 * A datagram with the token of its sender's address in front, for a gate that keeps nothing of addresses:
 *
 *     u8 0x40 | version << 3 | 5 · token 44 · the datagram
 */
import { joinBytes } from "../../bytes.ts";
import { wireVersion } from "../wire/datagramHeader.ts";
import { pathTokenBytes } from "./pathToken.ts";

const firstByte = 0x40 | (wireVersion << 3) | 5;
export const envelopeBytes = 1 + pathTokenBytes;

/** The token must have the length of one. */
export function wrapInToken(token: Uint8Array, datagram: Uint8Array): Uint8Array {
  return joinBytes(Uint8Array.of(firstByte), token, datagram);
}

/** Views; a datagram without an envelope is given back as it is. The token is not checked here. */
export function unwrapToken(bytes: Uint8Array): { readonly token?: Uint8Array; readonly datagram: Uint8Array } {
  if (bytes[0] !== firstByte || bytes.length < envelopeBytes) return { datagram: bytes };
  return { token: bytes.subarray(1, envelopeBytes), datagram: bytes.subarray(envelopeBytes) };
}

/**
 * The answer to a datagram from an address that has not proved itself: a token to show there. It is not sealed, as a
 * gate has no keys; it names what somebody off the path cannot know, the asker's connection id and packet number.
 *
 *     u8 0x40 | version << 3 | 3 · u64 asker's connection id · u48 packet number · u8 path id · token 44
 *
 * Packet number and path id are those of the refused datagram.
 */
import { joinBytes } from "../../bytes.ts";
import {
  datagramTypes,
  decodeHeader,
  encodeHeader,
  headerBytes,
  wireVersion,
  type DatagramHeader,
} from "../wire/datagramHeader.ts";
import { pathTokenBytes } from "./pathToken.ts";

const firstByte = 0x40 | (wireVersion << 3) | datagramTypes.indexOf("retry");
/** Shorter than the shortest datagram with anything in it that matters, so that no answer is larger than its cause. */
export const retryBytes = headerBytes + pathTokenBytes;

export type RetryNames = Pick<DatagramHeader, "connectionId" | "packetNumber" | "path">;

/** The 60 bytes of a RETRY; the token must have the length of one. */
export function encodeRetry({ connectionId, packetNumber, path }: RetryNames, token: Uint8Array): Uint8Array {
  return joinBytes(encodeHeader({ type: "retry", keyPhase: 0, connectionId, packetNumber, path }), token);
}

export interface Retry extends RetryNames {
  readonly token: Uint8Array;
}

/** Undefined when it is none. */
export function decodeRetry(bytes: Uint8Array): Retry | undefined {
  if (bytes.length !== retryBytes || bytes[0] !== firstByte) return undefined;
  const { connectionId, packetNumber, path } = decodeHeader(bytes);
  return { connectionId, packetNumber, path, token: bytes.slice(headerBytes) };
}

/**
 * Asking a gateway's UDP port from which address it is heard. An answer is never longer than its question, and a
 * gateway keeps nothing of who asked.
 *
 *     question = 0x4e ‖ nonce 8 ‖ zeros to 32 bytes
 *     answer   = 0x4f ‖ nonce 8 ‖ 4 ‖ address 4 ‖ port u16      or ‖ 6 ‖ address 16 ‖ port u16
 *
 * The first bytes are those of datagrams of version 1 and types that sealed ones do not use.
 */
import { joinBytes } from "../../bytes.ts";
import { formatAddress, parseAddress } from "../security/ipAddress.ts";
import type { Target } from "./targets.ts";

export const observationNonceBytes = 8;

const questionBytes = 32;
const firstBytes = { question: 0x4e, answer: 0x4f } as const;
const headBytes = 1 + observationNonceBytes;

/** The nonce has 8 bytes. */
export function encodeQuestion(nonce: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(questionBytes);
  bytes[0] = firstBytes.question;
  bytes.set(nonce, 1);
  return bytes;
}

/** What to answer to a question from there; undefined when the datagram is none. */
export function answerQuestion(datagram: Uint8Array, from: Target): Uint8Array | undefined {
  if (datagram.length !== questionBytes || datagram[0] !== firstBytes.question) return undefined;
  if (datagram.subarray(headBytes).some((byte) => byte !== 0)) return undefined;
  const address = parseAddress(from.address);
  if (address === undefined) return undefined;
  const version = address.length === 4 ? 4 : 6;
  return joinBytes(
    Uint8Array.of(firstBytes.answer),
    datagram.subarray(1, headBytes),
    Uint8Array.of(version),
    address,
    Uint8Array.of(from.port >> 8, from.port & 0xff),
  );
}

export interface ObservationAnswer extends Target {
  readonly nonce: Uint8Array;
}

/** Undefined when the datagram is no answer. */
export function decodeAnswer(datagram: Uint8Array): ObservationAnswer | undefined {
  const version = datagram[headBytes];
  const addressBytes = version === 4 ? 4 : 16;
  const isAnswer =
    datagram[0] === firstBytes.answer &&
    (version === 4 || version === 6) &&
    datagram.length === headBytes + 1 + addressBytes + 2;
  if (!isAnswer) return undefined;
  const portAt = headBytes + 1 + addressBytes;
  const port = (datagram[portAt]! << 8) | datagram[portAt + 1]!;
  const address = formatAddress(datagram.subarray(headBytes + 1, portAt));
  return { nonce: datagram.slice(1, headBytes), address, port };
}

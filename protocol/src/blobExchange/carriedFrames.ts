/**
 * Frames of a WebSocket whose peer is logged in, as messages of a coded link beside it: a lost packet then delays the
 * frames in it and none behind them (docs/PROTOCOL.md §12).
 *
 *   carried = version u8 (1) ‖ kind u8 (5) ‖ token (16) ‖ frame in UTF-8, or nothing: "here I am"
 *
 * The token is the gateway's, of that one WebSocket, so whoever shows it is who logged in there.
 */
import { bytesToHex, hexToBytes, type Hex } from "viem";
import { createByteReader } from "../harq/wire/byteReader.ts";
import { createByteWriter } from "../harq/wire/byteWriter.ts";
import { malformed } from "../harq/wire/malformed.ts";
import { gatewayLimits } from "../limits.ts";
import { decodeFrame, encodeFrame, type Frame } from "../wire.ts";

export const carrierTokenBytes = 16;

const version = 1;
const kind = 5;
const headBytes = 2 + carrierTokenBytes;

/** Requests and answers of sessions, which are many, small and in no order; all else stays where its order is. */
export function mayBeCarried({ t }: Frame): boolean {
  return t === "ask" || t === "answer" || t === "refusal";
}

/** True for a message that carries a frame, and is no request or answer about a blob. */
export function isCarried(message: Uint8Array): boolean {
  return message[0] === version && message[1] === kind;
}

export function encodeCarried({ token, frame }: { token: Hex; frame?: Frame }): Uint8Array {
  const text = new TextEncoder().encode(frame === undefined ? "" : encodeFrame(frame));
  const writer = createByteWriter(new Uint8Array(headBytes + text.length));
  writer.u8(version);
  writer.u8(kind);
  writer.put(hexToBytes(token));
  writer.put(text);
  return writer.written();
}

/** Throws WIRE_MALFORMED, also for a frame that is not to be carried. */
export function decodeCarried(message: Uint8Array): { token: Hex; frame: Frame | undefined } {
  const reader = createByteReader(message);
  if (reader.u8() !== version || reader.u8() !== kind) throw malformed("kind");
  const token = bytesToHex(reader.take(carrierTokenBytes));
  const bytes = reader.rest();
  if (bytes.length > gatewayLimits.maxFrameBytes) throw malformed("length");
  if (bytes.length === 0) return { token, frame: undefined };
  const frame = decodeFrame(new TextDecoder().decode(bytes));
  if (!mayBeCarried(frame)) throw malformed(frame.t);
  return { token, frame };
}

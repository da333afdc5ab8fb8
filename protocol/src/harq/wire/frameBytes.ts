/** How many bytes a frame takes, so that a datagram is filled without encoding twice. */
import type { Frame } from "./frames.ts";

export const symbolHeaderBytes = 16;
export const symbolLengthBytes = 2;
export const endBytes = 42;
export const statusFixedBytes = 27;
export const rangeBytes = 4;
export const deficitBytes = 7;
export const missingBytes = 22;
export const doneBytes = 6;

/** Of a SYMBOL, with its own length; without, as the last frame of a datagram, it is two bytes shorter. */
export function frameBytes(frame: Frame): number {
  switch (frame.type) {
    case "symbol":
      return symbolHeaderBytes + symbolLengthBytes + frame.symbol.length;
    case "end":
      return endBytes;
    case "status":
      return (
        statusFixedBytes +
        rangeBytes * frame.ranges.length +
        deficitBytes * frame.deficits.length +
        missingBytes * frame.missing.length
      );
    case "done":
      return doneBytes;
    case "doneAck":
      return 5;
    case "ping":
      return 1;
    case "challenge":
    case "response":
      return 9;
    case "cancel":
      return 12;
    case "resume":
      return 47 + frame.received.length;
    case "close":
      return 4 + new TextEncoder().encode(frame.text).length;
  }
}

/**
 * The symbol size of a message. Few symbols are cut evenly, with room for the message's END in every datagram, so that
 * any of them may be the one that completes it; many fill their datagrams.
 */
import { fecLimits } from "../../wire/fec/fecLimits.ts";
import { endBytes, symbolHeaderBytes, symbolLengthBytes } from "../wire/frameBytes.ts";

const step = fecLimits.symbolStepBytes;
const largest = 255 * step;
const few = 16;

export function symbolSizeFor({ length, bodyBytes }: { length: number; bodyBytes: number }): number {
  const full = down(Math.min(largest, bodyBytes - symbolHeaderBytes));
  const withEnd = down(Math.min(largest, bodyBytes - symbolHeaderBytes - symbolLengthBytes - endBytes));
  if (length > few * withEnd) return full;
  const symbols = Math.ceil(length / withEnd);
  return Math.ceil(length / symbols / step) * step;
}

function down(bytes: number): number {
  return Math.floor(bytes / step) * step;
}

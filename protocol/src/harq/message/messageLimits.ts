/** Bounds on what one connection holds of the peer's messages, and of its own. */
import { fecLimits } from "../../wire/fec/fecLimits.ts";

export const messageLimits = {
  /** Messages above this are handed over in pieces, and at most this much of one is open at a time. */
  windowBytes: 16 * 1024 * 1024,
  /** Messages that were begun and are not done. */
  openMessages: 256,
  /** Bytes of messages that may be begun before the receiver says more. */
  initialCreditBytes: 64 * 1024 * 1024,
  /** Symbol ids of a block, source and repair. */
  ids: fecLimits.maxEsis,
  mostBlocks: 65_536,
} as const;

/** What a message takes of the credit: what of it may have to be held at once. */
export function creditOf(length: number): number {
  return Math.min(length, messageLimits.windowBytes);
}

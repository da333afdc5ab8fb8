/** What both sides of a connection said of themselves in the handshake, as it binds this one. */
import type { Capabilities } from "../security/handshakePayload.ts";

export interface AgreedLimits {
  /** Bytes of the peer's messages that may be begun before this side gives any back. */
  readonly ownCreditBytes: number;
  /** The same of this side's messages. */
  readonly peerCreditBytes: number;
  /** Of symbols that are sent. */
  readonly largestSymbolBytes: number;
  /** Up to which size datagrams are probed. */
  readonly largestDatagramBytes: number;
}

/** Below this a gigabyte has more blocks than can be numbered. */
const leastSymbolBytes = 1_024;

/** A peer that takes less than 1,024 bytes a symbol is sent those all the same. */
export function agree(own: Capabilities, peer: Capabilities): AgreedLimits {
  const least = (of: keyof Capabilities): number => Math.min(own[of], peer[of]);
  return {
    ownCreditBytes: own.creditBytes,
    peerCreditBytes: peer.creditBytes,
    largestSymbolBytes: Math.max(leastSymbolBytes, least("largestSymbolBytes")),
    largestDatagramBytes: least("largestDatagramBytes"),
  };
}

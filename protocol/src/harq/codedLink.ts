/** What both ends of a link to a gateway have to agree on before anything is said (docs/PROTOCOL.md §5). */
import { messageLimits } from "./message/messageLimits.ts";
import { cauchyCodec } from "./message/ports.ts";
import type { Capabilities } from "./security/handshakePayload.ts";

/** Where a gateway upgrades WebSockets to links, and the subprotocol that is asked for there. */
export const codedPath = "/v1/coded";
export const codedSubprotocol = "harq.v1";

/** Ids of a link's paths: the WebSocket that it began with, and UDP. */
export const linkPathIds = { stream: 0, udp: 1 } as const;

/** WebSockets of one link, at most: each is a path, and one that stalls does not hold up the others. */
export const mostStripes = 8;

/** A handshake that takes longer has failed. */
export const handshakeWithinMs = 10_000;

/** What this implementation takes. */
export const linkCapabilities: Capabilities = {
  codec: cauchyCodec,
  largestSymbolBytes: 16_320,
  largestDatagramBytes: 1_472,
  creditBytes: messageLimits.initialCreditBytes,
};

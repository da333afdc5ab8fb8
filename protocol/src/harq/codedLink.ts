/** What both ends of a link to a gateway have to agree on before anything is said (docs/PROTOCOL.md §5). */
import { messageLimits } from "./message/messageLimits.ts";
import { cauchyCodec } from "./message/ports.ts";
import type { Capabilities } from "./security/handshakePayload.ts";

/** Where a gateway upgrades WebSockets to links, and the subprotocol that is asked for there. */
export const codedPath = "/v1/coded";
export const codedSubprotocol = "harq.v1";
/** The same for a further WebSocket of a link that is open: its first message is a datagram of that link. */
export const joinSubprotocol = "harq.v1.join";

/** Ids of a link's paths: the WebSocket that it began with, UDP, and from there on further WebSockets. */
export const linkPathIds = { stream: 0, udp: 1, firstJoined: 2 } as const;

/** With what a gateway closes a WebSocket that joins a link it does not have (any more). */
export const unknownLinkCode = 4404;

/** A link without a WebSocket is kept for so long after it was last heard. */
export const keptLinkMs = 30_000;

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

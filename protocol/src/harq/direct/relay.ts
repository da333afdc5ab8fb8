/**
 * The relay of direct links at a gateway: where its WebSockets are upgraded, and what is said there first. A ticket is
 * the first message of each side; every later one is a datagram of path 0, passed on as it is.
 */
export const relayPath = "/v1/relay";
export const relaySubprotocol = "harq-relay.v1";
export const ticketBytes = 32;

/** Ids of a direct link's paths. */
export const directPathIds = { relay: 0, udp: 1 } as const;

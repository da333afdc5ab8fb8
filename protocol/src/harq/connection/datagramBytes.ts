/** What a datagram may hold: on any path that works, and on a stream. */
export const smallestDatagramBytes = 1_200;
export const streamDatagramBytes = 16_384;

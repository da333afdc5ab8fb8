/** Seals and opens the body of a datagram. One sealer a direction and key phase; primitives differ by platform. */
export interface Sealer {
  /** Body and tag. `associated` is the datagram's header, whose path id and packet number make the nonce. */
  seal(body: Uint8Array, associated: Uint8Array, nonce: Uint8Array): Uint8Array;
  /** The same in one piece behind a copy of `associated`, where that is cheaper than to join the two. */
  sealBehind?(associated: Uint8Array, body: Uint8Array, nonce: Uint8Array): Uint8Array;
  /** Undefined when it was not sealed with this key for this header. */
  open(sealed: Uint8Array, associated: Uint8Array, nonce: Uint8Array): Uint8Array | undefined;
}

export const tagBytes = 16;

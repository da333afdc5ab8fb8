/** A connection's id, which its peer puts into every datagram: unpredictable, and never zero. */
export function randomConnectionId(random: (length: number) => Uint8Array): bigint {
  return new DataView(random(8).slice().buffer).getBigUint64(0) | 1n;
}

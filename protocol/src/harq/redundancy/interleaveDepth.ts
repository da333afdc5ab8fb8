/**
 * Blocks whose symbols are sent in turn, so that a mean burst takes few of any one of them; no more than leave within
 * a round trip, after which feedback repairs what a burst took, and waits for nobody.
 */
export interface InterleaveOptions {
  readonly meanBurstPackets: number;
  /** Blocks that leave within a round trip. */
  readonly blocksPerRoundTrip: number;
}

const blocksPerBurstPacket = 1.6;
const shallowest = 2;
const deepest = 64;

export function interleaveDepth({ meanBurstPackets, blocksPerRoundTrip }: InterleaveOptions): number {
  const wanted = Math.ceil(blocksPerBurstPacket * Math.max(1, meanBurstPackets));
  return Math.min(deepest, wanted, Math.max(shallowest, Math.ceil(blocksPerRoundTrip)));
}

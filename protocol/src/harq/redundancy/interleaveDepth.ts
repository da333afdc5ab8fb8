/** Blocks whose symbols are sent in turn, so that a mean burst takes few of any one of them. */
const blocksPerBurstPacket = 1.6;
const deepest = 64;

export function interleaveDepth(meanBurstPackets: number): number {
  return Math.min(deepest, Math.ceil(blocksPerBurstPacket * Math.max(1, meanBurstPackets)));
}

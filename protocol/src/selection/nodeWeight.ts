/** How much a node counts in a draw, stake × power × quality rounded down: contracts/libraries/NodeWeight.sol. */
const unit = 10n ** 18n * 1_000n * 10_000n;
const maxWeight = 2n ** 32n - 1n;

export function nodeWeight(node: { stakeWei: bigint; powerCu: number; qualityBps: number }): number {
  const weight = (node.stakeWei * BigInt(node.powerCu) * BigInt(node.qualityBps)) / unit;
  return Number(weight < maxWeight ? weight : maxWeight);
}

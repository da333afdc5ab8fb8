/**
 * The root over a voucher's receipts, in the order of their numbers:
 *
 *   leaf = keccak256(0x00 ‖ EIP-712 hash of the receipt)      node = keccak256(0x01 ‖ left ‖ right)
 *
 * A last one without a partner moves up as it is. The prefixes keep a node from passing for a leaf.
 */
import { concat, keccak256, zeroHash, type Hex } from "viem";

/** `receiptHashes` are those of `hashMessage("receipt", …)`; of none the root is zero. */
export function receiptsRootOf(receiptHashes: readonly Hex[]): Hex {
  let level = receiptHashes.map((hash) => keccak256(concat(["0x00", hash])));
  while (level.length > 1) level = parentsOf(level);
  return level[0] ?? zeroHash;
}

function parentsOf(level: readonly Hex[]): Hex[] {
  const parents: Hex[] = [];
  for (let left = 0; left < level.length; left += 2) {
    const [a, b] = level.slice(left, left + 2);
    if (a !== undefined) parents.push(b === undefined ? a : keccak256(concat(["0x01", a, b])));
  }
  return parents;
}

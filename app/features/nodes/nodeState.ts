/** Whether a node can be given tasks, and if not, why; by the index. The contract decides, not this. */
import type { Tone } from "../../components/Status.tsx";
import type { NodeRow } from "../../lib/subgraph/model.ts";

export function nodeState(node: NodeRow, online: boolean | undefined): { tone: Tone; word: string } {
  if (node.draining) return { tone: "reversible", word: "Paused" };
  const active = BigInt(node.stakedWei) - BigInt(node.thawingWei);
  if (active < BigInt(node.nodeClass.minimumStakeWei)) {
    return BigInt(node.thawingWei) > 0n
      ? { tone: "reversible", word: "Leaving" }
      : { tone: "waiting", word: "Not staked" };
  }
  if (online === undefined) return { tone: "waiting", word: "Staked" };
  return online ? { tone: "final", word: "Online" } : { tone: "off", word: "Offline" };
}

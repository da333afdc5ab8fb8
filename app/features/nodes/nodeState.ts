/** Whether a node can be given tasks, and if not, why; by the index. The contract decides, not this. */
import type { OnlineNode } from "@ngpu/client/fetchRoster";
import type { Tone } from "../../components/Status.tsx";
import type { NodeRow } from "../../lib/subgraph/model.ts";

/** `entry` is what the gateway lists of the node; undefined while the gateway has not answered. */
export function nodeState(
  node: Pick<NodeRow, "draining" | "stakedWei" | "thawingWei" | "nodeClass">,
  entry: Pick<OnlineNode, "slots"> | "offline" | undefined,
): { tone: Tone; word: string } {
  if (node.draining) return { tone: "reversible", word: "Paused" };
  const active = BigInt(node.stakedWei) - BigInt(node.thawingWei);
  if (active < BigInt(node.nodeClass.minimumStakeWei)) {
    return BigInt(node.thawingWei) > 0n
      ? { tone: "reversible", word: "Leaving" }
      : { tone: "waiting", word: "Not staked" };
  }
  if (entry === undefined) return { tone: "waiting", word: "Staked" };
  if (entry === "offline") return { tone: "off", word: "Offline" };
  return entry.slots === 0 ? { tone: "reversible", word: "Stopping" } : { tone: "final", word: "Online" };
}

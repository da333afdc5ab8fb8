/** Whether a node can be given tasks, and if not, why; by the index. The contract decides, not this. */
import type { OnlineNode } from "@ngpu/client/fetchRoster";
import type { Tone } from "../../components/Status.tsx";
import { formatDateTime } from "../../lib/format.ts";
import type { NodeRow } from "../../lib/subgraph/model.ts";

type StakedNode = Pick<NodeRow, "draining" | "stakedWei" | "thawingWei" | "suspendedUntil" | "nodeClass">;

/**
 * `entry` is what the gateway lists of the node; undefined while the gateway has not answered. The gravest reason is
 * the one that is named, in the contract's order; `nowS` is chain time, undefined while it is not known.
 */
export function nodeState(
  node: StakedNode,
  entry: Pick<OnlineNode, "slots"> | "offline" | undefined,
  nowS?: bigint,
): { tone: Tone; word: string } {
  const active = BigInt(node.stakedWei) - BigInt(node.thawingWei);
  if (active < BigInt(node.nodeClass.minimumStakeWei)) {
    return BigInt(node.thawingWei) > 0n
      ? { tone: "reversible", word: "Exiting" }
      : { tone: "waiting", word: "Not staked" };
  }
  const until = BigInt(node.suspendedUntil);
  if (nowS !== undefined && until > nowS) return { tone: "failed", word: `Suspended until ${formatDateTime(until)}` };
  if (node.draining) return { tone: "reversible", word: "Paused" };
  if (entry === undefined) return { tone: "waiting", word: "Staked" };
  if (entry === "offline") return { tone: "off", word: "Offline" };
  return entry.slots === 0 ? { tone: "reversible", word: "Stopping" } : { tone: "final", word: "Online" };
}

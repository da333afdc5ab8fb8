/** How long no gateway has seen a node, by the keeper's clock; a node never seen counts from when the watch began. */
import type { View } from "../keeper/gatewayView.ts";

export interface SilenceWatch {
  look(view: Pick<View, "nodes" | "connectedSinceMs">): void;
  /** Nodes out of 1 … `nodeCount` that were not seen for so long; none while the view is no evidence. */
  silent(query: { nodeCount: number; forMs: number }): number[];
  forget(): void;
}

export function createSilenceWatch(options: { nowMs: () => number }): SilenceWatch {
  const { nowMs } = options;
  const seenMs = new Map<number, number>();
  let sinceMs: number | undefined;
  let isAnybodyThere = false;

  return {
    look({ nodes, connectedSinceMs }) {
      // Without a gateway the keeper sees nobody, and begins anew when it has one again.
      if (connectedSinceMs === undefined) seenMs.clear();
      sinceMs = connectedSinceMs;
      isAnybodyThere = nodes.size > 0;
      for (const { nodeId, heardMs } of nodes.values()) seenMs.set(nodeId, Math.max(heardMs, seenMs.get(nodeId) ?? 0));
    },
    silent({ nodeCount, forMs }) {
      const beganMs = sinceMs;
      // A gateway that lists nobody is itself what is wrong, as far as anyone can tell.
      if (beganMs === undefined || !isAnybodyThere) return [];
      const ids = Array.from({ length: nodeCount }, (_, index) => index + 1);
      return ids.filter((nodeId) => nowMs() - Math.max(beganMs, seenMs.get(nodeId) ?? 0) >= forMs);
    },
    forget: () => seenMs.clear(),
  };
}

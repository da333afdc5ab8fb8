/** How many nodes of a roster serve a model; one that announces no slots is stopping and takes nothing new. */
import type { Hex } from "viem";
import type { OnlineNode } from "./fetchRoster.ts";

export function servedBy(request: { roster: readonly Pick<OnlineNode, "models" | "slots">[]; modelId: Hex }): number {
  const modelId = request.modelId.toLowerCase();
  return request.roster.filter(({ models, slots }) => slots > 0 && models.some((id) => id.toLowerCase() === modelId))
    .length;
}

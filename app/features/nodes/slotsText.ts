/** Free slots as a node reports them; one that announces none is stopping: it ends what it executes, takes nothing new. */
import type { OnlineNode } from "@ngpu/client/fetchRoster";

export function slotsText({ slots, freeSlots }: Pick<OnlineNode, "slots" | "freeSlots">): string {
  return slots === 0 ? "stopping" : `${freeSlots} of ${slots}`;
}

/** Where a task stands, in a word and a tone. */
import type { Tone } from "../components/Status.tsx";
import type { TaskRow, TaskState } from "./subgraph/model.ts";

/** States in which money of the task still moves. */
export const openStates: readonly TaskState[] = ["Posted", "Assigned", "Accepted", "Demanded"];

export function taskStateWord(task: Pick<TaskRow, "status" | "refundReason">): { tone: Tone; word: string } {
  switch (task.status) {
    case "Posted":
      return { tone: "waiting", word: "Posted" };
    case "Assigned":
      return { tone: "working", word: "Assigned" };
    case "Accepted":
      return { tone: "working", word: "Running" };
    case "Settled":
      return { tone: "final", word: "Settled" };
    case "Refunded":
      return { tone: "failed", word: task.refundReason === "Failed" ? "Failed, refunded" : "Expired, refunded" };
    case "Cancelled":
      return { tone: "off", word: "Cancelled" };
    case "Demanded":
      return { tone: "working", word: "Output demanded" };
    case "Delivered":
      return { tone: "final", word: "Settled, delivered" };
    case "Forfeited":
      return { tone: "failed", word: "Forfeited, bill returned" };
  }
}

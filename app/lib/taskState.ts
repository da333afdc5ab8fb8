/** Where a task stands, in a word and a tone. */
import type { Tone } from "../components/Status.tsx";
import type { TaskRow, TaskState } from "./subgraph/model.ts";

export const openStates: readonly TaskState[] = ["Posted", "Assigned", "Accepted"];

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
  }
}

/**
 * How the index stands to something that the chain has decided. What the chain says counts at once; an index that needs
 * long is told as such, and nobody is left waiting for it.
 */
const patienceS = 20;

export type IndexWait = "done" | "waiting" | "late";

export function indexWait({ indexed, waitedS }: { indexed: boolean; waitedS: number }): IndexWait {
  if (indexed) return "done";
  return waitedS > patienceS ? "late" : "waiting";
}

/** Of a task that has ended on the chain. */
export const indexWordsOfTask: Record<IndexWait, string> = {
  done: "In your lists and totals.",
  waiting: "Waiting for the index to read the block.",
  late: "Still indexing. The task is over all the same, as the chain says above; lists and totals follow.",
};

/** Of a transaction that was mined. */
export const indexWordsOfTransaction: Record<IndexWait, string> = {
  done: "indexed",
  waiting: "not indexed yet",
  late: "still indexing; it counts all the same",
};

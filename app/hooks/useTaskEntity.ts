"use client";
/** One task as the index shows it, with the block that the answer is of. */
import type { TimelineRow } from "@ngpu/client/chainTimeline";
import { useSubgraph } from "./useSubgraph.ts";
import { taskFields, type Meta, type TaskRow } from "../lib/subgraph/model.ts";

/** How far a task that has ended has come: a demand only comes after a bill, its answer only after the demand. */
const rank: Partial<Record<TaskRow["status"] | TimelineRow["stage"], number>> = {
  ...{ Settled: 1, Refunded: 1, Cancelled: 1, Demanded: 2, Delivered: 3, Forfeited: 3 },
  ...{ settled: 1, refunded: 1, cancelled: 1, demanded: 2, delivered: 3, forfeited: 3 },
};

/** True when the index shows what `standing` tells, or what came after it. */
export function showsStanding(task: TaskRow | null | undefined, standing: TimelineRow | undefined): boolean {
  return (rank[task?.status ?? "Posted"] ?? 0) >= (rank[standing?.stage ?? "settled"] ?? 1);
}

const query = `query Task($id: ID!) { task(id: $id) { ${taskFields} } _meta { block { number timestamp } hasIndexingErrors } }`;

/** Asked each second until it shows what the chain's events tell of the task's end. */
export function useTaskEntity(taskId: string, standing: TimelineRow | undefined) {
  return useSubgraph<{ task: TaskRow | null; _meta: Meta }>({
    key: "task",
    query,
    variables: { id: taskId },
    pending: (data) => !showsStanding(data?.task, standing),
  });
}

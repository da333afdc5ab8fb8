"use client";
/** One task as the index shows it, with the block that the answer is of. */
import { openStates } from "../lib/taskState.ts";
import { useSubgraph } from "./useSubgraph.ts";
import { taskFields, type Meta, type TaskRow } from "../lib/subgraph/model.ts";

export function hasEnded(task: TaskRow | null | undefined): boolean {
  return task !== undefined && task !== null && !openStates.includes(task.status);
}

const query = `query Task($id: ID!) { task(id: $id) { ${taskFields} } _meta { block { number timestamp } hasIndexingErrors } }`;

/** Asked each second until it shows the task's end. */
export function useTaskEntity(taskId: string) {
  return useSubgraph<{ task: TaskRow | null; _meta: Meta }>({
    key: "task",
    query,
    variables: { id: taskId },
    pending: (data) => !hasEnded(data?.task),
  });
}

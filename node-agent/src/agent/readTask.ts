/**
 * What the chain says about a task that was dispatched. A dispatch is a hint by someone who may be wrong; only this
 * decides whether the node works for the task, which input it may take, and what it may bill.
 */
import { NgpuError } from "@ngpu/protocol/errors";
import { contentHashOf } from "@ngpu/protocol/ids";
import type { ModelManifest } from "@ngpu/protocol/manifest";
import type { Hex } from "viem";
import { isOver, taskStatus } from "@ngpu/protocol/taskStatus";
import type { AgentChain, PostedTask } from "./chain.ts";

export interface AssignedTask extends PostedTask {
  taskId: Hex;
  assignment: number;
  manifest: ModelManifest;
  workCums: bigint;
  /** This node's power, frozen when it was assigned. */
  powerCu: number;
  /** Chain seconds until the deadline. */
  leftS: number;
}

/**
 * Throws NOT_ASSIGNED, MODEL_UNKNOWN, TASK_UNKNOWN or CHAIN_UNREACHABLE; TASK_UNKNOWN also while the assignment is
 * not visible yet.
 */
export async function readTask(request: {
  taskId: Hex;
  assignment: number;
  nodeId: number;
  chain: AgentChain;
  manifests: ReadonlyMap<Hex, ModelManifest>;
}): Promise<AssignedTask> {
  const { taskId, assignment, nodeId, chain, manifests } = request;
  const task = await chain.task(taskId);
  if (task.status === taskStatus.none || task.assignment < assignment)
    throw new NgpuError("TASK_UNKNOWN", { taskId, assignment });
  const isNamed = task.primary === nodeId || task.backup === nodeId;
  const leftS = task.deadline - (await chain.timeS());
  if (task.assignment !== assignment || !isNamed || isOver(task.status) || leftS <= 0) {
    throw new NgpuError("NOT_ASSIGNED", { taskId, assignment, standing: task.assignment, status: task.status, leftS });
  }
  const post = await chain.post(taskId, task.postedAt);
  if (contentHashOf(post) !== task.contentHash)
    throw new NgpuError("TASK_UNKNOWN", { taskId, reason: "its post is not the stored one" });
  const manifest = manifests.get(post.modelId);
  if (manifest === undefined) throw new NgpuError("MODEL_UNKNOWN", { taskId, modelId: post.modelId });
  const powerCu = task.primary === nodeId ? task.primaryPowerCu : task.backupPowerCu;
  return { ...post, taskId, assignment, manifest, workCums: task.workCums, powerCu, leftS };
}

/**
 * What the chain says about a task that was dispatched. A dispatch is a hint by someone who may be wrong; only this
 * decides whether the node works for the task, which input it may take, and what it may bill.
 */
import { NgpuError } from "@ngpu/protocol/errors";
import type { ModelManifest } from "@ngpu/protocol/manifest";
import { isOver, taskStatus } from "@ngpu/protocol/taskStatus";
import type { TaskState } from "@ngpu/protocol/taskWords";
import type { Address, Hex } from "viem";
import type { AgentChain } from "./chain.ts";

export interface AssignedTask {
  taskId: Hex;
  assignment: number;
  modelId: Hex;
  inputCommitment: Hex;
  inputCiphertext: Hex;
  clientKey: Address;
  /** This node's place in the assignment, from 0: the primary's. */
  seat: number;
  manifest: ModelManifest;
  workCums: bigint;
  /** This node's power, frozen when it was assigned. */
  powerCu: number;
  /** Chain seconds until the deadline. */
  leftS: number;
}

/**
 * Throws NOT_ASSIGNED, MODEL_UNKNOWN, TASK_UNKNOWN, TASK_WORDS_MISMATCH or CHAIN_UNREACHABLE; TASK_UNKNOWN also while
 * the assignment is not visible yet.
 */
export async function readTask(request: {
  taskId: Hex;
  assignment: number;
  nodeId: number;
  chain: AgentChain;
  manifests: ReadonlyMap<Hex, ModelManifest>;
}): Promise<AssignedTask> {
  const { taskId, assignment, nodeId, chain, manifests } = request;
  // Logs are read only for a dispatch that may be true.
  requireStanding(request, await chain.state(taskId));
  const { state, posted, terms, assigned } = await chain.task(taskId);
  requireStanding(request, state);
  const seats = assigned?.seats ?? [];
  const seat = seats.findIndex((taken) => taken.nodeId === nodeId);
  const leftS = terms.deadline - (await chain.timeS());
  const { powerCu } = seats[seat] ?? {};
  if (powerCu === undefined || leftS <= 0) throw new NgpuError("NOT_ASSIGNED", { taskId, assignment, nodeId, leftS });
  const { modelId, inputCommitment, inputCiphertext, clientKey } = posted;
  const manifest = manifests.get(modelId);
  if (manifest === undefined) throw new NgpuError("MODEL_UNKNOWN", { taskId, modelId });
  const content = { modelId, inputCommitment, inputCiphertext, clientKey, manifest, workCums: terms.workCums };
  return { taskId, assignment, ...content, seat, powerCu, leftS };
}

function requireStanding({ taskId, assignment }: { taskId: Hex; assignment: number }, state: TaskState): void {
  const { status, assignment: standing } = state;
  if (status === taskStatus.none || standing < assignment) throw new NgpuError("TASK_UNKNOWN", { taskId, assignment });
  if (standing !== assignment || isOver(status))
    throw new NgpuError("NOT_ASSIGNED", { taskId, assignment, standing, status });
}

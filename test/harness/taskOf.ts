/** What a chain says of a task: its slot alone, or with the words behind it. */
import type { Deployment } from "@ngpu/protocol/deployment";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { readTask, type KnownTask } from "@ngpu/protocol/readTask";
import { unassigned, type Assigned } from "@ngpu/protocol/taskDigest";
import type { TaskState } from "@ngpu/protocol/taskWords";
import type { Hex, PublicClient } from "viem";

interface Place {
  client: PublicClient;
  deployment: Pick<Deployment, "taskEscrow">;
}

export function stateOf({ client, deployment }: Place, taskId: Hex): Promise<TaskState> {
  const escrow = { address: deployment.taskEscrow, abi: taskEscrowAbi } as const;
  return client.readContract({ ...escrow, functionName: "stateOf", args: [taskId] });
}

/** Throws TASK_UNKNOWN. */
export async function taskOf(
  { client, deployment }: Place,
  taskId: Hex,
): Promise<KnownTask & { standing: Assigned; nodeIds: number[] }> {
  const task = await readTask({ chain: client, escrow: deployment.taskEscrow, taskId, firstBlock: 0n });
  const standing = task.assigned ?? unassigned;
  return { ...task, standing, nodeIds: standing.seats.map(({ nodeId }) => nodeId) };
}

/**
 * What the agent reads from the chain: its own registration, and tasks with the words that their events tell. It never
 * sends a transaction.
 */
import type { Deployment } from "@ngpu/protocol/deployment";
import { NgpuError } from "@ngpu/protocol/errors";
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { readTask, type KnownTask } from "@ngpu/protocol/readTask";
import type { TaskState } from "@ngpu/protocol/taskWords";
import type { Address, Hex, PublicClient } from "viem";

export type ChainTask = Pick<KnownTask, "state" | "posted" | "terms" | "assigned">;

export interface AgentChain {
  /** 0 when the operator was never bound. */
  nodeOfOperator(operator: Address): Promise<number>;
  /** What the chain keeps of a task, in one call. */
  state(taskId: Hex): Promise<TaskState>;
  /** The task with its words, which fit what the chain keeps. Throws TASK_UNKNOWN or TASK_WORDS_MISMATCH. */
  task(taskId: Hex): Promise<ChainTask>;
  /** Chain time of the newest block, in seconds. */
  timeS(): Promise<number>;
  blockNumber(): Promise<bigint>;
  /** The newest block that cannot be taken back; the newest of all where the chain does not say. */
  finalBlock(): Promise<bigint>;
}

export function createAgentChain({ client, deployment }: { client: PublicClient; deployment: Deployment }): AgentChain {
  const escrow = { address: deployment.taskEscrow, abi: taskEscrowAbi } as const;
  const registry = { address: deployment.nodeRegistry, abi: nodeRegistryAbi } as const;
  const firstBlock = BigInt(deployment.deploymentBlock);

  return {
    nodeOfOperator: (operator) =>
      answered(client.readContract({ ...registry, functionName: "nodeOfOperator", args: [operator] })),
    state: (taskId) => answered(client.readContract({ ...escrow, functionName: "stateOf", args: [taskId] })),
    task: (taskId) => readTask({ chain: client, escrow: deployment.taskEscrow, taskId, firstBlock }),
    timeS: async () => Number((await answered(client.getBlock())).timestamp),
    blockNumber: () => answered(client.getBlockNumber()),
    finalBlock: () =>
      client.getBlock({ blockTag: "finalized" }).then(
        ({ number }) => number,
        () => answered(client.getBlockNumber()),
      ),
  };
}

/** Whatever viem throws here means that the chain did not answer: the calls themselves cannot revert. */
async function answered<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (cause) {
    throw cause instanceof NgpuError ? cause : new NgpuError("CHAIN_UNREACHABLE", {}, { cause });
  }
}

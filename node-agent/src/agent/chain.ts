/**
 * What the agent reads from the chain: its own registration, tasks, and the post of a task. It never sends a
 * transaction.
 */
import type { Deployment } from "@ngpu/protocol/deployment";
import { NgpuError } from "@ngpu/protocol/errors";
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import type { Address, Hex, PublicClient } from "viem";

export interface ChainTask {
  status: number;
  postedAt: number;
  deadline: number;
  workCums: bigint;
  contentHash: Hex;
  primary: number;
  backup: number;
  primaryPowerCu: number;
  backupPowerCu: number;
  assignment: number;
  /** Bit 0: primary, bit 1: backup; the same for `failedMask`. */
  acceptedMask: number;
  failedMask: number;
}

/** What the payer posted and no storage slot keeps. */
export interface PostedTask {
  modelId: Hex;
  inputCommitment: Hex;
  inputCiphertext: Hex;
  clientKey: Address;
}

export interface AgentChain {
  /** 0 when the operator was never bound. */
  nodeOfOperator(operator: Address): Promise<number>;
  task(taskId: Hex): Promise<ChainTask>;
  /** Throws TASK_UNKNOWN. */
  post(taskId: Hex, postedAt: number): Promise<PostedTask>;
  /** Chain time of the newest block, in seconds. */
  timeS(): Promise<number>;
  blockNumber(): Promise<bigint>;
  /** The newest block that cannot be taken back; the newest of all where the chain does not say. */
  finalBlock(): Promise<bigint>;
}

/** Public endpoints answer at most this many blocks of logs at once. */
const logRangeBlocks = 5_000n;

export function createAgentChain({ client, deployment }: { client: PublicClient; deployment: Deployment }): AgentChain {
  const escrow = { address: deployment.taskEscrow, abi: taskEscrowAbi } as const;
  const registry = { address: deployment.nodeRegistry, abi: nodeRegistryAbi } as const;
  const firstBlock = BigInt(deployment.deploymentBlock);

  const postedIn = async (taskId: Hex, fromBlock: bigint, toBlock: bigint): Promise<PostedTask | undefined> => {
    const [log] = await client.getContractEvents({
      ...escrow,
      eventName: "TaskPosted",
      args: { taskId },
      fromBlock,
      toBlock,
      strict: true,
    });
    if (log === undefined) return undefined;
    const { modelId, inputCommitment, inputCiphertext, clientKey } = log.args;
    return { modelId, inputCommitment, inputCiphertext, clientKey };
  };

  return {
    nodeOfOperator: (operator) =>
      answered(client.readContract({ ...registry, functionName: "nodeOfOperator", args: [operator] })),
    task: (taskId) => answered(client.readContract({ ...escrow, functionName: "task", args: [taskId] })),
    timeS: async () => Number((await answered(client.getBlock())).timestamp),
    blockNumber: () => answered(client.getBlockNumber()),
    finalBlock: () =>
      client.getBlock({ blockTag: "finalized" }).then(
        ({ number }) => number,
        () => answered(client.getBlockNumber()),
      ),
    post: (taskId, postedAt) =>
      answered(
        (async () => {
          // Backwards from the newest block: posts are minutes old, and no block before the post can hold it.
          for (let toBlock = await client.getBlockNumber(); toBlock >= firstBlock; toBlock -= logRangeBlocks) {
            const fromBlock = toBlock - logRangeBlocks + 1n > firstBlock ? toBlock - logRangeBlocks + 1n : firstBlock;
            const found = await postedIn(taskId, fromBlock, toBlock);
            if (found !== undefined) return found;
            const { timestamp } = await client.getBlock({ blockNumber: fromBlock });
            if (timestamp < BigInt(postedAt)) break;
          }
          throw new NgpuError("TASK_UNKNOWN", { taskId });
        })(),
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

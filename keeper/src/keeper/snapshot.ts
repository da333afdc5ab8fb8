/** The chain at one block, as far as a keeper cares: every open task, and the nodes that might serve. */
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import type { Deployment } from "@ngpu/protocol/deployment";
import { isOpen } from "@ngpu/protocol/taskStatus";
import { zeroAddress, type Address, type Hex, type PublicClient } from "viem";
import type { Head, TaskFollower } from "../chain/taskFollower.ts";
import type { TaskFacts } from "../chain/taskFacts.ts";

export interface OpenTask {
  taskId: Hex;
  modelId: Hex;
  inputCommitment: Hex;
  contentHash: Hex;
  postedBlock: bigint;
  status: number;
  workCums: bigint;
  deadlineS: number;
  priceUsd6PerGcums: bigint;
  stakeWeiPerUsd6: bigint;
  backups: number;
  assignment: number;
  primary: number;
  backup: number;
  primaryPowerCu: number;
  backupPowerCu: number;
  /** Bit 0: primary, bit 1: backup; the same for `failedMask`. */
  acceptedMask: number;
  failedMask: number;
  assignedAtS: number;
}

export interface NodeFacts {
  nodeId: number;
  owner: Address;
  isEligible: boolean;
  powerCu: number;
  /** Active stake. */
  stakeWei: bigint;
  lastAssignedBlock: bigint;
}

export interface Snapshot {
  blockNumber: bigint;
  blockHash: Hex;
  /** Chain time of that block, in seconds. */
  chainTimeS: number;
  /** In the order they were posted. */
  tasks: OpenTask[];
  nodes: Map<number, NodeFacts>;
}

/** Reads open tasks and the given nodes at `head`. Rejects when the chain does not answer or the block is gone. */
export async function readSnapshot(options: {
  chain: PublicClient;
  deployment: Deployment;
  follower: TaskFollower;
  head: Head;
  nodeIds: number[];
}): Promise<Snapshot> {
  const { chain, deployment, follower, head, nodeIds } = options;
  const at = { blockNumber: head.number, allowFailure: false, deployless: true } as const;
  const escrow = { address: deployment.taskEscrow, abi: taskEscrowAbi } as const;
  const registry = { address: deployment.nodeRegistry, abi: nodeRegistryAbi } as const;
  const open = follower.open();

  const [states, eligible, records] = await Promise.all([
    many(open, (facts) =>
      chain.multicall({
        ...at,
        contracts: facts.map(({ taskId }) => ({ ...escrow, functionName: "task", args: [taskId] }) as const),
      }),
    ),
    many(nodeIds, (ids) =>
      chain.multicall({
        ...at,
        contracts: ids.map((nodeId) => ({ ...registry, functionName: "eligibilityOf", args: [nodeId] }) as const),
      }),
    ),
    many(nodeIds, (ids) =>
      chain.multicall({
        ...at,
        // A gateway may name nodes that this chain does not know; they must not stop the rest.
        allowFailure: true,
        contracts: ids.map((nodeId) => ({ ...registry, functionName: "node", args: [nodeId] }) as const),
      }),
    ),
  ]);

  const tasks = open.flatMap((facts, index) => {
    const state = states[index];
    return state === undefined ? [] : [openTask(facts, state)];
  });
  const nodes = new Map<number, NodeFacts>();
  nodeIds.forEach((nodeId, index) => {
    const owner = records[index]?.result?.owner ?? zeroAddress;
    const lastAssignedBlock = follower.lastAssignedBlock(nodeId);
    const [powerCu, stakeWei] = eligible[index] ?? [0, 0n];
    nodes.set(nodeId, { nodeId, owner, isEligible: powerCu !== 0, powerCu, stakeWei, lastAssignedBlock });
  });
  return {
    blockNumber: head.number,
    blockHash: head.hash,
    chainTimeS: head.timestampS,
    tasks: tasks.filter(({ status }) => isOpen(status)),
    nodes,
  };
}

type TaskState = {
  status: number;
  contentHash: Hex;
  workCums: bigint;
  deadline: number;
  priceUsd6PerGcums: bigint;
  stakeWeiPerUsd6: bigint;
  backups: number;
  assignment: number;
  primary: number;
  backup: number;
  primaryPowerCu: number;
  backupPowerCu: number;
  acceptedMask: number;
  failedMask: number;
  assignedAt: number;
};

function openTask(facts: TaskFacts, state: TaskState): OpenTask {
  const { taskId, modelId, inputCommitment, postedBlock } = facts;
  return {
    taskId,
    modelId,
    inputCommitment,
    contentHash: state.contentHash,
    postedBlock,
    status: state.status,
    workCums: state.workCums,
    deadlineS: state.deadline,
    priceUsd6PerGcums: state.priceUsd6PerGcums,
    stakeWeiPerUsd6: state.stakeWeiPerUsd6,
    backups: state.backups,
    assignment: state.assignment,
    primary: state.primary,
    backup: state.backup,
    primaryPowerCu: state.primaryPowerCu,
    backupPowerCu: state.backupPowerCu,
    acceptedMask: state.acceptedMask,
    failedMask: state.failedMask,
    assignedAtS: state.assignedAt,
  };
}

/** Calls in batches that any RPC takes. */
async function many<T, R>(items: T[], read: (batch: T[]) => Promise<R[]>): Promise<R[]> {
  const size = 500;
  const results: R[] = [];
  for (let start = 0; start < items.length; start += size)
    results.push(...(await read(items.slice(start, start + size))));
  return results;
}

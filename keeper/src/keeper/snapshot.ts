/** The chain at one block, as far as a keeper cares: every open task, and the nodes that might serve. */
import { assignmentAbi } from "@ngpu/protocol/generated/abi/assignment";
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import type { Deployment } from "@ngpu/protocol/deployment";
import { unassigned, type Assigned, type Settlement, type TaskTerms } from "@ngpu/protocol/taskDigest";
import { isOpen, isOver, taskStatus } from "@ngpu/protocol/taskStatus";
import { areWordsOf, assignedOf, type TaskState } from "@ngpu/protocol/taskWords";
import { zeroAddress, type Address, type Hex, type PublicClient } from "viem";
import { inBatches } from "../chain/inBatches.ts";
import type { Head, TaskFollower } from "../chain/taskFollower.ts";
import type { TaskFacts } from "../chain/taskFacts.ts";
import { mayBeAssigned } from "./mayBeAssigned.ts";

/** What a call about the task brings along; it fits the chain's digest of that block. */
export interface OpenWords {
  terms: TaskTerms;
  /** No seats before the first assignment. */
  standing: Assigned;
}

export interface OpenTask extends OpenWords {
  taskId: Hex;
  modelId: Hex;
  inputCommitment: Hex;
  postedBlock: bigint;
  status: number;
  assignment: number;
  /** Bit i: the node in seat i; the same for `failedMask`. */
  acceptedMask: number;
  failedMask: number;
  assignedAtS: number;
  /** For a task that waits for nodes: those that the epoch's seed draws for it, in order; none while nothing can be drawn. */
  drawn: readonly number[];
}

/** A settled task whose payer says that it cannot get the output. */
export interface OpenDemand {
  taskId: Hex;
  terms: TaskTerms;
  settlement: Settlement;
  /** Chain time in seconds until which keepers may attest. */
  answerableUntilS: number;
  attestedBy: readonly Address[];
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
  demands: OpenDemand[];
  /** Tasks of which the RPC told what the chain's digest denies: nothing is done about them. */
  misfits: Hex[];
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
  const told = [...follower.open(), ...follower.demanded()];

  const [states, eligible, records] = await Promise.all([
    inBatches(told, (facts) =>
      chain.multicall({
        ...at,
        contracts: facts.map(({ taskId }) => ({ ...escrow, functionName: "stateOf", args: [taskId] }) as const),
      }),
    ),
    inBatches(nodeIds, (ids) =>
      chain.multicall({
        ...at,
        contracts: ids.map((nodeId) => ({ ...registry, functionName: "eligibilityOf", args: [nodeId] }) as const),
      }),
    ),
    inBatches(nodeIds, (ids) =>
      chain.multicall({
        ...at,
        // A gateway may name nodes that this chain does not know; they must not stop the rest.
        allowFailure: true,
        contracts: ids.map((nodeId) => ({ ...registry, functionName: "node", args: [nodeId] }) as const),
      }),
    ),
  ]);

  const nodes = new Map<number, NodeFacts>();
  nodeIds.forEach((nodeId, index) => {
    const owner = records[index]?.result?.owner ?? zeroAddress;
    const lastAssignedBlock = follower.lastAssignedBlock(nodeId);
    const [powerCu, stakeWei] = eligible[index] ?? [0, 0n];
    nodes.set(nodeId, { nodeId, owner, isEligible: powerCu !== 0, powerCu, stakeWei, lastAssignedBlock });
  });
  const { number: blockNumber, hash: blockHash, timestampS: chainTimeS } = head;
  const known = sorted(told, states);
  const tasks = await withDraws({ chain, deployment, head, tasks: known.tasks });
  return { blockNumber, blockHash, chainTimeS, ...known, tasks, nodes };
}

/** More than a task has seats, because the first drawn may be busy or gone. */
const mostDrawn = 16n;

/** Between two epochs nothing can be drawn; then every answer is a refusal. */
async function withDraws(options: {
  chain: PublicClient;
  deployment: Deployment;
  head: Head;
  tasks: OpenTask[];
}): Promise<OpenTask[]> {
  const { chain, deployment, head, tasks } = options;
  const waiting = tasks.filter((task) => mayBeAssigned(task, head.timestampS));
  const contract = { address: deployment.assignment, abi: assignmentAbi } as const;
  const drawn = await inBatches(waiting, (batch) =>
    chain.multicall({
      ...{ blockNumber: head.number, allowFailure: true, deployless: true },
      contracts: batch.map(
        ({ taskId, modelId }) => ({ ...contract, functionName: "drawFor", args: [taskId, modelId, mostDrawn] }) as const,
      ),
    }),
  );
  const drawnFor = new Map(waiting.map(({ taskId }, index) => [taskId, drawn[index]?.result ?? []]));
  return tasks.map((task) => ({ ...task, drawn: drawnFor.get(task.taskId) ?? [] }));
}

/** Each task by what the chain says of it, as long as its words fit; one that is over is left out. */
function sorted(told: TaskFacts[], states: TaskState[]): Pick<Snapshot, "tasks" | "demands" | "misfits"> {
  const tasks: OpenTask[] = [];
  const demands: OpenDemand[] = [];
  const misfits: Hex[] = [];
  told.forEach((facts, index) => {
    const state = states[index];
    if (state === undefined) return;
    const { taskId, terms, assigned } = facts;
    const settlement = facts.ended?.settlement;
    // An RPC may tell of a task's end a block later in its logs than in its state.
    if (isOver(state.status) && facts.ended === undefined) return;
    if (!areWordsOf({ terms, assigned, settlement }, state)) misfits.push(taskId);
    else if (isOpen(state.status)) tasks.push(openTask(facts, state));
    else if (state.status === taskStatus.demanded && facts.demand !== undefined && settlement !== undefined)
      demands.push({ taskId, terms, settlement, ...facts.demand });
  });
  return { tasks, demands, misfits };
}

function openTask(facts: TaskFacts, state: TaskState): OpenTask {
  const { taskId, modelId, inputCommitment, postedBlock, terms, assigned } = facts;
  const { status, assignment, acceptedMask, failedMask, changedAt } = state;
  const standing = assigned === undefined ? unassigned : assignedOf(assigned);
  return {
    ...{ taskId, modelId, inputCommitment, postedBlock, terms, standing },
    ...{ status, assignment, acceptedMask, failedMask, assignedAtS: changedAt, drawn: [] },
  };
}

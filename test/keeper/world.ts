/**
 * Builders of what a keeper sees, for tests of its planning: a task, nodes, and what gateways said. Times are the
 * keeper's clock.
 */
import type { OnlineNode, TaskView, View } from "@ngpu/keeper/keeper/gatewayView";
import type { NodeFacts, OpenTask, Snapshot } from "@ngpu/keeper/keeper/snapshot";
import { taskStatus } from "@ngpu/protocol/taskStatus";
import { contentHashOf } from "@ngpu/protocol/ids";
import type { Signed } from "@ngpu/protocol/signed";
import type { TaskTerms } from "@ngpu/protocol/taskDigest";
import { keccak256, toHex, zeroAddress, zeroHash, type Address, type Hex } from "viem";

export const nowMs = 1_000_000;
export const chainTimeS = 10_000;
export const modelId = keccak256("0x0a");
const inputCommitment = keccak256("0x0b");

/** What rows of tests change: the fields of a task, of its terms, and who sits where, all at 1,000 CU. */
type TaskChange = Partial<Omit<OpenTask, "terms">> & { terms?: Partial<TaskTerms>; nodes?: number[] };

/** A task that was just posted, with ten minutes left. */
export function aTask({ terms, nodes = [], ...change }: TaskChange = {}): OpenTask {
  const seats = nodes.map((nodeId) => ({ nodeId, powerCu: 1_000 }));
  return {
    taskId: keccak256("0x01"),
    modelId,
    inputCommitment,
    postedBlock: 10n,
    terms: {
      payer: zeroAddress,
      postedAt: chainTimeS - 10,
      deadline: chainTimeS + 600,
      backups: 1,
      workCums: 1_000_000n,
      priceUsd6PerGcums: 100_000n,
      stakeWeiPerUsd6: 2_000_000_000_000n,
      contentHash: contentHashOf({ modelId, inputCommitment }),
      ...terms,
    },
    standing: { assigner: zeroAddress, seats },
    status: taskStatus.posted,
    assignment: 0,
    acceptedMask: 0,
    failedMask: 0,
    assignedAtS: chainTimeS - 10,
    drawn: [],
    ...change,
  };
}

/** Assigned a moment ago to nodes 1 and 2. */
export function anAssignedTask(change: TaskChange = {}): OpenTask {
  const assigned = { status: taskStatus.assigned, assignment: 1, nodes: [1, 2], assignedAtS: chainTimeS - 5 };
  return aTask({ ...assigned, ...change });
}

/** As above, and both accepted. */
export function anAcceptedTask(change: TaskChange = {}): OpenTask {
  return anAssignedTask({ status: taskStatus.accepted, acceptedMask: 3, ...change });
}

export function online(nodeId: number, change: Partial<OnlineNode> = {}): OnlineNode {
  return {
    nodeId,
    models: [modelId],
    slots: 1,
    freeSlots: 1,
    heardMs: nowMs - 100,
    onlineSinceMs: nowMs - 60_000,
    ...change,
  };
}

export function onChain(nodeId: number, change: Partial<NodeFacts> = {}): NodeFacts {
  const owner: Address = `0x${nodeId.toString(16).padStart(40, "0")}`;
  return { nodeId, owner, isEligible: true, powerCu: 1_000, stakeWei: 10n ** 20n, lastAssignedBlock: 0n, ...change };
}

export function aSnapshot(
  tasks: OpenTask[],
  nodes: NodeFacts[] = [1, 2, 3].map((nodeId) => onChain(nodeId)),
): Snapshot {
  return {
    blockNumber: 100n,
    blockHash: zeroHash,
    chainTimeS,
    tasks,
    demands: [],
    misfits: [],
    nodes: new Map(nodes.map((node) => [node.nodeId, node])),
  };
}

export function aTaskView(change: Partial<TaskView> = {}): TaskView {
  return { accepts: [], progress: [], receipts: [], dispatches: [], ...change };
}

export function aView(
  change: { nodes?: OnlineNode[]; gone?: number[]; seen?: TaskView; of?: Hex } & Partial<
    Pick<View, "connectedSinceMs" | "rosterMs">
  > = {},
): View {
  const { nodes = [1, 2].map((nodeId) => online(nodeId)), gone = [], seen, of = aTask().taskId, ...rest } = change;
  return {
    connectedSinceMs: nowMs - 60_000,
    rosterMs: nowMs - 50,
    nodes: new Map(nodes.map((node) => [node.nodeId, node])),
    gone: new Set(gone),
    tasks: new Map(seen === undefined ? [] : [[of, seen]]),
    ...rest,
  };
}

/** Dispatched long enough ago that nothing is due again, unless `change` says otherwise. */
export function sent(
  nodeId: number,
  role: "primary" | "backup",
  change: Partial<TaskView["dispatches"][number]> = {},
): TaskView["dispatches"][number] {
  return { nodeId, assignment: 1, attempt: 0, role, firstMs: nowMs - 500, lastMs: nowMs - 500, ...change };
}

export function progress(
  nodeId: number,
  change: Partial<TaskView["progress"][number]> = {},
): TaskView["progress"][number] {
  return { nodeId, assignment: 1, attempt: 0, seq: 1, sinceMs: nowMs - 400, receivedMs: nowMs - 100, ...change };
}

export function anAccept(nodeId: number, change: Partial<Signed<"accept">["message"]> = {}): Signed<"accept"> {
  const message = { taskId: aTask().taskId, assignment: 1, nodeId, inputCommitment, timeMs: 1n, ...change };
  return { message, signature: toHex(nodeId, { size: 65 }) };
}

export function aReceipt(nodeId: number, change: Partial<Signed<"receipt">["message"]> = {}): Signed<"receipt"> {
  const message = {
    taskId: aTask().taskId,
    assignment: 1,
    attempt: 0,
    nodeId,
    modelId,
    inputCommitment,
    outputCommitment: zeroHash,
    outputCiphertext: zeroHash,
    slot: 0,
    powerCu: 1_000,
    startMs: 1n,
    durationMs: 1_000,
    status: 0,
    ...change,
  };
  return { message, signature: toHex(nodeId, { size: 65 }) };
}

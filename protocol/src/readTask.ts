/**
 * One task as chain and events tell it together: the slot that the chain keeps, and the words behind it, read backwards
 * from the block of the slot and compared with its digest. What does not fit is never returned.
 */
import type { Address, Hex, PublicClient } from "viem";
import { NgpuError } from "./errors.ts";
import { taskEscrowAbi } from "./generated/abi/taskEscrow.ts";
import { limits } from "./limits.ts";
import type { Assigned, Settlement, TaskTerms } from "./taskDigest.ts";
import { readTaskLogs, type TaskLog, type TaskLogOf } from "./taskLogs.ts";
import { isOver, isSettled, taskStatus } from "./taskStatus.ts";
import { assignedOf, requireWords, settlementOf, termsOf, type TaskState } from "./taskWords.ts";

export interface KnownTask {
  taskId: Hex;
  state: TaskState;
  posted: TaskLogOf<"TaskPosted">["args"];
  terms: TaskTerms;
  /** The standing assignment, or the last one of a task that is over. */
  assigned?: Assigned;
  settled?: TaskLogOf<"TaskSettled">;
  settlement?: Settlement;
  /** All that its events say, oldest first. */
  logs: TaskLog[];
}

/** Public endpoints answer at most this many blocks of logs at once. */
const logRangeBlocks = 5_000n;

/**
 * Throws TASK_UNKNOWN, TASK_WORDS_MISMATCH or CHAIN_UNREACHABLE; each may be gone a moment later, when an RPC that lags
 * behind in part has caught up.
 */
export async function readTask(request: {
  chain: PublicClient;
  escrow: Address;
  taskId: Hex;
  /** No event of the task is in an earlier block. */
  firstBlock: bigint;
}): Promise<KnownTask> {
  const { chain, escrow, taskId } = request;
  try {
    const blockNumber = await chain.getBlockNumber({ cacheTime: 0 });
    const call = { address: escrow, abi: taskEscrowAbi, functionName: "stateOf", args: [taskId] } as const;
    const state = await chain.readContract({ ...call, blockNumber });
    if (state.status === taskStatus.none) throw new NgpuError("TASK_UNKNOWN", { taskId });
    const logs = await readBackwards({ ...request, toBlock: blockNumber, state });
    return verified({ taskId, state, logs });
  } catch (cause) {
    // These calls cannot revert: whatever else is thrown means that the chain did not answer.
    throw cause instanceof NgpuError ? cause : new NgpuError("CHAIN_UNREACHABLE", {}, { cause });
  }
}

/** All logs of the task, oldest first. Tasks are minutes old, and no block before the post can hold any. */
async function readBackwards(request: {
  chain: PublicClient;
  escrow: Address;
  taskId: Hex;
  firstBlock: bigint;
  toBlock: bigint;
  state: TaskState;
}): Promise<TaskLog[]> {
  const { chain, firstBlock, state } = request;
  const isOpenEnded = isOver(state.status);
  const logs: TaskLog[] = [];
  for (let toBlock = request.toBlock; toBlock >= firstBlock; toBlock -= logRangeBlocks) {
    const fromBlock = toBlock - logRangeBlocks + 1n > firstBlock ? toBlock - logRangeBlocks + 1n : firstBlock;
    logs.unshift(...(await readTaskLogs({ ...request, fromBlock, toBlock })));
    if (logs.some(({ eventName }) => eventName === "TaskPosted")) break;
    if (isOpenEnded || fromBlock === firstBlock) continue;
    const { timestamp } = await chain.getBlock({ blockNumber: fromBlock });
    if (Number(timestamp) < state.changedAt - limits.maxDeadlineS) break;
  }
  return logs;
}

function verified(request: { taskId: Hex; state: TaskState; logs: TaskLog[] }): KnownTask {
  const { taskId, state, logs } = request;
  const posted = logs.find((log) => log.eventName === "TaskPosted")?.args;
  if (posted === undefined) throw new NgpuError("TASK_UNKNOWN", { taskId, reason: "no event tells of its post" });
  const terms = termsOf(posted);
  const assignment = logs.findLast(
    (log) => log.eventName === "TaskAssigned" && log.args.assignment === state.assignment,
  );
  const assigned = assignment?.eventName === "TaskAssigned" ? assignedOf(assignment.args) : undefined;
  const settled = isSettled(state.status) ? logs.findLast((log) => log.eventName === "TaskSettled") : undefined;
  const settlement = settled === undefined ? undefined : settlementOf({ posted, settled: settled.args });
  requireWords({ taskId, words: { terms, assigned, settlement }, state });
  return {
    ...{ taskId, state, posted, terms, logs },
    ...(assigned === undefined ? {} : { assigned }),
    ...(settled === undefined || settlement === undefined ? {} : { settled, settlement }),
  };
}

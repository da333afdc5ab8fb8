/**
 * Tasks that ended refunded after an assignment and may still be reported, at one block: their words where they fit the
 * chain's digest, who accepted and failed, and whose miss is reported already. One about which nothing is left to say
 * is looked at no more once that has stood for some blocks.
 */
import type { Deployment } from "@ngpu/protocol/deployment";
import { availabilityAbi } from "@ngpu/protocol/generated/abi/availability";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { areWordsOf, assignedOf, type TaskState } from "@ngpu/protocol/taskWords";
import type { Hex, PublicClient } from "viem";
import { inBatches } from "../chain/inBatches.ts";
import type { Head, TaskFollower } from "../chain/taskFollower.ts";
import { couldHaveMissed, missesOf, reportableUntilS, type EndedTask, type MissFacts } from "./planMissed.ts";

export interface MissReader {
  /** Rejects when the chain does not answer. */
  read(head: Head): Promise<MissFacts>;
  /** Tasks of which the RPC told what the chain's digest denies, as last read. */
  misfits(): Hex[];
  /** The chain is another one. */
  forget(): void;
}

/** A report that is so deep is not undone. */
const quietBlocks = 64n;
const batchSize = 250;

export function createMissReader(options: {
  chain: PublicClient;
  deployment: Deployment;
  follower: Pick<TaskFollower, "refunded">;
}): MissReader {
  const { chain, deployment, follower } = options;
  const escrow = { address: deployment.taskEscrow, abi: taskEscrowAbi } as const;
  const availability = { address: deployment.availability, abi: availabilityAbi } as const;
  /** Block in which nothing was left to say about a task. */
  const quietSince = new Map<Hex, bigint>();
  let reportWindowS: number | undefined;
  let misfits: Hex[] = [];

  /** Everything that could be reported, and reports that may be undone. */
  function lookAt(head: Head, windowS: number): ReturnType<TaskFollower["refunded"]> {
    const told = follower.refunded().filter(({ terms }) => head.timestampS <= reportableUntilS(terms, windowS));
    const ids = new Set(told.map(({ taskId }) => taskId));
    for (const taskId of quietSince.keys()) if (!ids.has(taskId)) quietSince.delete(taskId);
    return told.filter(({ taskId }) => head.number < (quietSince.get(taskId) ?? head.number) + quietBlocks);
  }

  async function statesOf(taskIds: Hex[], blockNumber: bigint): Promise<TaskState[]> {
    const at = { blockNumber, allowFailure: false, deployless: true } as const;
    const read = (batch: Hex[]) =>
      chain.multicall({
        ...at,
        contracts: batch.map((taskId) => ({ ...escrow, functionName: "stateOf", args: [taskId] }) as const),
      });
    return inBatches(taskIds, read, batchSize);
  }

  /** Whether each miss is reported. */
  async function areReported(misses: { taskId: Hex; nodeId: number }[], blockNumber: bigint): Promise<boolean[]> {
    const at = { blockNumber, allowFailure: false, deployless: true } as const;
    const read = async (batch: typeof misses) => {
      const ids = await chain.multicall({
        ...at,
        contracts: batch.map(
          ({ taskId, nodeId }) => ({ ...availability, functionName: "missedTaskIdOf", args: [taskId, nodeId] }) as const,
        ),
      });
      return chain.multicall({
        ...at,
        contracts: ids.map((id) => ({ ...availability, functionName: "fault", args: [id] }) as const),
      });
    };
    const faults = await inBatches(misses, read, batchSize);
    return faults.map(({ nodeId }) => nodeId !== 0);
  }

  return {
    async read(head) {
      reportWindowS ??= await chain.readContract({ ...availability, functionName: "reportWindowSeconds" });
      const told = lookAt(head, reportWindowS);
      const states = await statesOf(
        told.map(({ taskId }) => taskId),
        head.number,
      );
      const tasks: EndedTask[] = [];
      const unfit: Hex[] = [];
      told.forEach(({ taskId, terms, assigned }, index) => {
        const state = states[index];
        // A refund may be told a block earlier in the logs than in the state.
        if (state === undefined || assigned === undefined || !couldHaveMissed(state)) return;
        if (!areWordsOf({ terms, assigned }, state)) return void unfit.push(taskId);
        const { status, acceptedMask, failedMask } = state;
        tasks.push({ taskId, terms, standing: assignedOf(assigned), status, acceptedMask, failedMask, reported: [] });
      });
      const misses = tasks.flatMap((task) => missesOf(task).map((nodeId) => ({ taskId: task.taskId, nodeId })));
      const known = await areReported(misses, head.number);
      const reportedOf = (of: Hex): number[] =>
        misses.filter(({ taskId }, index) => taskId === of && known[index]).map(({ nodeId }) => nodeId);
      const ended = tasks.map((task) => ({ ...task, reported: reportedOf(task.taskId) }));
      const left = new Set([...unfit, ...ended.filter((task) => missesOf(task).length > 0).map(({ taskId }) => taskId)]);
      for (const { taskId } of told) {
        if (left.has(taskId)) quietSince.delete(taskId);
        else if (head.number < (quietSince.get(taskId) ?? head.number + 1n)) quietSince.set(taskId, head.number);
      }
      misfits = unfit;
      return { chainTimeS: head.timestampS, reportWindowS, tasks: ended };
    },
    misfits: () => misfits,
    forget() {
      quietSince.clear();
      reportWindowS = undefined;
      misfits = [];
    },
  };
}

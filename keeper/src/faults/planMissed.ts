/**
 * Which missed tasks to report now, as a pure function of the chain at one block. A node missed a task that it accepted
 * when the task ended by time: neither a receipt nor a signed failure of it came. Each task and node once, within the
 * contract's window; the reporter is paid a part of the slash, but only after its time for appeal.
 */
import { limits } from "@ngpu/protocol/limits";
import type { Assigned, TaskTerms } from "@ngpu/protocol/taskDigest";
import { taskStatus } from "@ngpu/protocol/taskStatus";
import type { TaskState } from "@ngpu/protocol/taskWords";
import type { Hex } from "viem";
import type { FaultAction } from "../upkeep/upkeepAction.ts";

/** A task whose last assignment came to nothing; its words fit the chain's digest. */
export interface EndedTask {
  taskId: Hex;
  terms: TaskTerms;
  standing: Assigned;
  status: number;
  /** Bit i: the node in seat i; the same for `failedMask`. */
  acceptedMask: number;
  failedMask: number;
  /** Nodes whose miss the chain knows. */
  reported: readonly number[];
}

export interface MissFacts {
  chainTimeS: number;
  /** Of the contract: so long after a task could be expired its misses are taken. */
  reportWindowS: number;
  tasks: EndedTask[];
}

/** What a report takes, roughly. */
export const reportGas = 400_000n;

export function planMissed({ facts, gasLeft }: { facts: MissFacts; gasLeft: bigint }): FaultAction[] {
  const { chainTimeS, reportWindowS, tasks } = facts;
  return tasks
    .filter(({ terms }) => chainTimeS <= reportableUntilS(terms, reportWindowS))
    .toSorted((a, b) => a.terms.deadline - b.terms.deadline)
    .flatMap((task) => missesOf(task).map((nodeId) => ({ task, nodeId })))
    .slice(0, Number(gasLeft / reportGas))
    .map(({ task: { taskId, terms, standing }, nodeId }) => {
      return { kind: "reportMissedTask", taskId, nodeId, terms, standing };
    });
}

/** Nodes whose miss can be reported and is not. */
export function missesOf(task: EndedTask): number[] {
  const { standing, acceptedMask, failedMask, reported } = task;
  if (!couldHaveMissed(task)) return [];
  const failing = acceptedMask & ~failedMask;
  return standing.seats.flatMap(({ nodeId }, seat) =>
    ((failing >> seat) & 1) === 1 && !reported.includes(nodeId) ? [nodeId] : [],
  );
}

/** Refunded although a node had accepted that signed no failure. */
export function couldHaveMissed(state: Pick<TaskState, "status" | "acceptedMask" | "failedMask">): boolean {
  return state.status === taskStatus.refunded && (state.acceptedMask & ~state.failedMask) !== 0;
}

/** The last second of chain time in which the contract takes a report. */
export function reportableUntilS({ deadline }: Pick<TaskTerms, "deadline">, reportWindowS: number): number {
  return deadline + limits.settleGraceS + reportWindowS;
}

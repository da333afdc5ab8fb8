/**
 * What the events of TaskEscrow say about one task, and how each event changes it. Applying an event twice changes
 * nothing.
 */
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import type { Address, Hex, ParseEventLogsReturnType } from "viem";

export interface AssignmentFacts {
  assignment: number;
  primary: number;
  /** 0 when the payer asked for none. */
  backup: number;
  block: bigint;
}

export interface TaskFacts {
  taskId: Hex;
  payer: Address;
  modelId: Hex;
  inputCommitment: Hex;
  inputCiphertext: Hex;
  clientKey: Address;
  workCums: bigint;
  deadlineS: number;
  backups: number;
  postedBlock: bigint;
  /** The newest assignment. */
  assigned?: AssignmentFacts;
  ended?: { how: "settled" | "refunded" | "cancelled"; outputCiphertext?: Hex };
}

type EscrowLog = ParseEventLogsReturnType<typeof taskEscrowAbi, undefined, true>[number];
export type TaskLog = Exclude<EscrowLog, { eventName: "EIP712DomainChanged" }>;

/** Logs of TaskEscrow that are about a task. */
export function isTaskLog(log: EscrowLog): log is TaskLog {
  return log.eventName !== "EIP712DomainChanged";
}

/** The facts after `log`; undefined when the log says nothing about a task whose post is known. */
export function applyTaskLog(facts: TaskFacts | undefined, log: TaskLog): TaskFacts | undefined {
  if (log.eventName === "TaskPosted") return facts ?? posted(log);
  if (facts === undefined) return undefined;
  switch (log.eventName) {
    case "TaskAssigned": {
      const { assignment, primary, backup } = log.args;
      const stale = facts.assigned !== undefined && assignment <= facts.assigned.assignment;
      return stale ? facts : { ...facts, assigned: { assignment, primary, backup, block: log.blockNumber } };
    }
    case "TaskSettled":
      return { ...facts, ended: { how: "settled", outputCiphertext: log.args.outputCiphertext } };
    case "TaskRefunded":
      return { ...facts, ended: { how: "refunded" } };
    case "TaskCancelled":
      return { ...facts, ended: { how: "cancelled" } };
    default:
      return facts;
  }
}

/** True when the node serves the standing assignment. */
export function isAssigned(facts: TaskFacts, nodeId: number): boolean {
  const { assigned } = facts;
  return nodeId !== 0 && assigned !== undefined && (assigned.primary === nodeId || assigned.backup === nodeId);
}

/** The nodes of the standing assignment, primary first. */
export function assignedNodes(facts: TaskFacts): number[] {
  const { assigned } = facts;
  return assigned === undefined ? [] : [assigned.primary, assigned.backup].filter((nodeId) => nodeId !== 0);
}

function posted(log: TaskLog & { eventName: "TaskPosted" }): TaskFacts {
  const { args } = log;
  return {
    taskId: args.taskId,
    payer: args.payer,
    modelId: args.modelId,
    inputCommitment: args.inputCommitment,
    inputCiphertext: args.inputCiphertext,
    clientKey: args.clientKey,
    workCums: args.workCums,
    deadlineS: args.deadline,
    backups: args.backups,
    postedBlock: log.blockNumber,
  };
}

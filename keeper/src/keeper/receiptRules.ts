/**
 * Every rule of TaskEscrow.settle but the signature, so that no transaction is sent for a receipt that would be
 * refused.
 */
import { contentHashOf } from "@ngpu/protocol/ids";
import { receiptStatus, type Receipt } from "@ngpu/protocol/typedData";
import { capMs } from "@ngpu/protocol/units";
import { taskStatus } from "@ngpu/protocol/taskStatus";
import type { OpenTask } from "./snapshot.ts";

/** The place of a node in the standing assignment, from 0; undefined when it has none. */
export function seatOf(task: OpenTask, nodeId: number): number | undefined {
  const seat = task.standing.seats.findIndex((taken) => taken.nodeId === nodeId);
  return seat === -1 ? undefined : seat;
}

/** True when the mask has the bit of the node's seat. */
export function hasSeatIn(mask: number, task: OpenTask, nodeId: number): boolean {
  const seat = seatOf(task, nodeId);
  return seat !== undefined && (mask & (1 << seat)) !== 0;
}

/** The power frozen for a node of the standing assignment. */
export function powerOf(task: OpenTask, nodeId: number): number {
  return task.standing.seats.find((taken) => taken.nodeId === nodeId)?.powerCu ?? 0;
}

/** The name of the error the contract would answer with; undefined when the receipt fits. */
export function receiptMisfit(task: OpenTask, receipt: Receipt): string | undefined {
  if (task.status !== taskStatus.assigned && task.status !== taskStatus.accepted) return "TaskWrongStatus";
  if (receipt.assignment !== task.assignment) return "TaskAssignmentStale";
  if (seatOf(task, receipt.nodeId) === undefined) return "TaskNodeNotAssigned";
  const isRefused = receipt.status > receiptStatus.timedOut || hasSeatIn(task.failedMask, task, receipt.nodeId);
  if (isRefused) return "TaskReceiptStatusInvalid";
  if (contentHashOf(receipt) !== task.terms.contentHash) return "TaskContentMismatch";
  const powerCu = powerOf(task, receipt.nodeId);
  if (receipt.powerCu !== powerCu) return "TaskPowerMismatch";
  if (receipt.status !== receiptStatus.succeeded) return undefined;
  return receipt.durationMs > capMs({ workCums: task.terms.workCums, powerCu }) ? "TaskDurationAboveCap" : undefined;
}

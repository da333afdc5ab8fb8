/**
 * Every rule of TaskEscrow.settle but the signature, so that no transaction is sent for a receipt that would be
 * refused.
 */
import { contentHashOf } from "@ngpu/protocol/ids";
import { receiptStatus, type Receipt } from "@ngpu/protocol/typedData";
import { capMs } from "@ngpu/protocol/units";
import { taskStatus } from "@ngpu/protocol/taskStatus";
import type { OpenTask } from "./snapshot.ts";

export const primarySeat = 1;
export const backupSeat = 2;

/** The seat of a node under the standing assignment; 0 when it has none. */
export function seatOf(task: OpenTask, nodeId: number): number {
  if (nodeId === 0) return 0;
  if (nodeId === task.primary) return primarySeat;
  return nodeId === task.backup ? backupSeat : 0;
}

/** The name of the error the contract would answer with; undefined when the receipt fits. */
export function receiptMisfit(task: OpenTask, receipt: Receipt): string | undefined {
  if (task.status !== taskStatus.assigned && task.status !== taskStatus.accepted) return "TaskWrongStatus";
  if (receipt.assignment !== task.assignment) return "TaskAssignmentStale";
  const seat = seatOf(task, receipt.nodeId);
  if (seat === 0) return "TaskNodeNotAssigned";
  if (receipt.status > receiptStatus.timedOut || (task.failedMask & seat) !== 0) return "TaskReceiptStatusInvalid";
  if (contentHashOf(receipt) !== task.contentHash) return "TaskContentMismatch";
  const powerCu = seat === primarySeat ? task.primaryPowerCu : task.backupPowerCu;
  if (receipt.powerCu !== powerCu) return "TaskPowerMismatch";
  if (receipt.status !== receiptStatus.succeeded) return undefined;
  return receipt.durationMs > capMs({ workCums: task.workCums, powerCu }) ? "TaskDurationAboveCap" : undefined;
}

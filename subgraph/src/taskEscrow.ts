/**
 * TaskEscrow: the life of a task in the order of its stages, down to its one bill or its refund.
 * The escrow emits before it moves money, so balances are PaymentVault's matter alone.
 */
import {
  TaskAccepted,
  TaskAssigned,
  TaskAttemptFailed,
  TaskCancelled,
  TaskPosted,
  TaskRefunded,
  TaskSettled,
} from "../generated/TaskEscrow/TaskEscrow";
import { Bill, Task } from "../generated/schema";
import { loadAccount } from "./entities/account";
import { countTransition, loadNetwork } from "./entities/network";
import { countAccept, countAssignment, countBill, countFailure } from "./entities/node";
import { newTaskEvent } from "./entities/taskEvent";
import { countCancelled, countPosted, countRefunded, countSettled } from "./entities/totals";
import { receiptStatusName, refundReasonName } from "./names";
import { ZERO } from "./numbers";
import { positionOf } from "./position";

export function handleTaskPosted(event: TaskPosted): void {
  const task = new Task(event.params.taskId);
  task.payer = event.params.payer;
  task.modelId = event.params.modelId;
  task.inputCommitment = event.params.inputCommitment;
  task.inputCiphertext = event.params.inputCiphertext;
  task.clientKey = event.params.clientKey;
  task.workCums = event.params.workCums;
  task.priceUsd6PerGcums = event.params.priceUsd6PerGcums;
  task.stakeWeiPerUsd6 = event.params.stakeWeiPerUsd6;
  task.maxAmountUsd6 = event.params.maxAmountUsd6;
  task.deadline = event.params.deadline;
  task.backups = event.params.backups;
  task.status = "Posted";
  task.assignment = 0;
  task.primaryAccepted = false;
  task.backupAccepted = false;
  task.postedAt = event.block.timestamp;
  task.postedBlock = event.block.number;
  task.postedTx = event.transaction.hash;
  task.save();

  const row = newTaskEvent(event, task.id, "Posted", 0);
  row.amountUsd6 = event.params.maxAmountUsd6;
  row.save();
  countPosted(event, event.params.payer);
}

export function handleTaskAssigned(event: TaskAssigned): void {
  const task = Task.load(event.params.taskId);
  if (task == null) return;
  const hasBackup = event.params.backup != ZERO;
  const network = loadNetwork();
  countTransition(network, task.status, "Assigned");
  network.save();

  task.status = "Assigned";
  task.assignment = event.params.assignment;
  task.primary = event.params.primary.toString();
  task.primaryPowerCu = event.params.primaryPowerCu;
  task.backup = hasBackup ? event.params.backup.toString() : null;
  task.backupPowerCu = hasBackup ? event.params.backupPowerCu : null;
  task.primaryAccepted = false;
  task.backupAccepted = false;
  task.primaryFailure = null;
  task.backupFailure = null;
  task.assignedAt = event.block.timestamp;
  task.assignedBlock = event.block.number;
  task.assignedTx = event.transaction.hash;
  task.acceptedAt = null;
  task.acceptedBlock = null;
  task.acceptedTx = null;
  task.save();

  const row = newTaskEvent(event, task.id, "Assigned", event.params.assignment);
  row.node = task.primary;
  row.backup = task.backup;
  row.powerCu = event.params.primaryPowerCu;
  row.save();
  countAssignment(event.params.primary);
  countAssignment(event.params.backup);
}

export function handleTaskAccepted(event: TaskAccepted): void {
  const task = Task.load(event.params.taskId);
  if (task == null) return;
  const nodeId = event.params.nodeId.toString();
  const network = loadNetwork();
  countTransition(network, task.status, "Accepted");
  network.save();

  if (task.acceptedAt === null) {
    task.acceptedAt = event.block.timestamp;
    task.acceptedBlock = event.block.number;
    task.acceptedTx = event.transaction.hash;
  }
  task.status = "Accepted";
  if (task.primary == nodeId) task.primaryAccepted = true;
  if (task.backup == nodeId) task.backupAccepted = true;
  task.save();

  const row = newTaskEvent(event, task.id, "Accepted", event.params.assignment);
  row.node = nodeId;
  row.timeMs = event.params.timeMs;
  row.save();
  countAccept(event.params.nodeId);
}

export function handleTaskSettled(event: TaskSettled): void {
  const task = Task.load(event.params.taskId);
  if (task == null) return;
  const cums = event.params.powerCu.times(event.params.durationMs);
  countSettled(event, event.params.payer, task.status, event.params.amountUsd6, cums);
  countBill(event.params.nodeId, event.params.amountUsd6, cums, event.block.timestamp);
  loadAccount(event.params.payout).save();
  bill(event, task);

  task.status = "Settled";
  task.bill = task.id;
  task.amountUsd6 = event.params.amountUsd6;
  task.refundUsd6 = event.params.refundUsd6;
  task.settledAt = event.block.timestamp;
  task.settledBlock = event.block.number;
  task.settledTx = event.transaction.hash;
  task.save();

  const row = newTaskEvent(event, task.id, "Settled", event.params.assignment);
  row.attempt = event.params.attempt;
  row.node = event.params.nodeId.toString();
  row.powerCu = event.params.powerCu;
  row.durationMs = event.params.durationMs;
  row.amountUsd6 = event.params.amountUsd6;
  row.refundUsd6 = event.params.refundUsd6;
  row.timeMs = event.params.startMs;
  row.save();
}

export function handleTaskAttemptFailed(event: TaskAttemptFailed): void {
  const task = Task.load(event.params.taskId);
  if (task == null) return;
  const nodeId = event.params.nodeId.toString();
  const status = receiptStatusName(event.params.status);
  if (task.primary == nodeId) task.primaryFailure = status;
  if (task.backup == nodeId) task.backupFailure = status;
  task.save();

  const row = newTaskEvent(event, task.id, "AttemptFailed", event.params.assignment);
  row.attempt = event.params.attempt;
  row.node = nodeId;
  row.receiptStatus = status;
  row.save();
  countFailure(event.params.nodeId);
}

export function handleTaskRefunded(event: TaskRefunded): void {
  const task = Task.load(event.params.taskId);
  if (task == null) return;
  countRefunded(event, event.params.payer, task.status);
  task.status = "Refunded";
  task.refundUsd6 = event.params.refundUsd6;
  task.refundReason = refundReasonName(event.params.reason);
  task.refundedAt = event.block.timestamp;
  task.refundedBlock = event.block.number;
  task.refundedTx = event.transaction.hash;
  task.save();

  const row = newTaskEvent(event, task.id, "Refunded", task.assignment);
  row.refundUsd6 = event.params.refundUsd6;
  row.refundReason = task.refundReason;
  row.save();
}

export function handleTaskCancelled(event: TaskCancelled): void {
  const task = Task.load(event.params.taskId);
  if (task == null) return;
  countCancelled(event, event.params.payer, task.status);
  task.status = "Cancelled";
  task.refundUsd6 = event.params.refundUsd6;
  task.refundReason = "Cancelled";
  task.refundedAt = event.block.timestamp;
  task.refundedBlock = event.block.number;
  task.refundedTx = event.transaction.hash;
  task.save();

  const row = newTaskEvent(event, task.id, "Cancelled", task.assignment);
  row.refundUsd6 = event.params.refundUsd6;
  row.refundReason = task.refundReason;
  row.save();
}

function bill(event: TaskSettled, task: Task): void {
  const row = new Bill(task.id);
  row.task = task.id;
  row.payer = event.params.payer;
  row.payout = event.params.payout;
  row.node = event.params.nodeId.toString();
  row.modelId = task.modelId;
  row.assignment = event.params.assignment;
  row.attempt = event.params.attempt;
  row.powerCu = event.params.powerCu;
  row.durationMs = event.params.durationMs;
  row.priceUsd6PerGcums = event.params.priceUsd6PerGcums;
  row.amountUsd6 = event.params.amountUsd6;
  row.refundUsd6 = event.params.refundUsd6;
  row.startMs = event.params.startMs;
  row.outputCommitment = event.params.outputCommitment;
  row.outputCiphertext = event.params.outputCiphertext;
  row.position = positionOf(event);
  row.block = event.block.number;
  row.timestamp = event.block.timestamp;
  row.tx = event.transaction.hash;
  row.save();
}

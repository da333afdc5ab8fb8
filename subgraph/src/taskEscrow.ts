/**
 * TaskEscrow: the life of a task in the order of its stages, down to its one bill or its refund. What a payer demands
 * afterwards is followed in demands.ts.
 * The escrow emits before it moves money, so balances are PaymentVault's matter alone.
 */
import { BigInt } from "@graphprotocol/graph-ts";
import {
  TaskAccepted,
  TaskAssigned,
  TaskAttemptFailed,
  TaskCancelled,
  TaskPosted,
  TaskRefunded,
  TaskSettled,
  TaskStandbyPaid,
} from "../generated/TaskEscrow/TaskEscrow";
import { Bill, StandbyLine, Task } from "../generated/schema";
import { loadAccount } from "./entities/account";
import { contentHashOf } from "./entities/contentHash";
import { countTransition, loadNetwork } from "./entities/network";
import { countAccept, countAssignment, countBill, countFailure, countStandby } from "./entities/node";
import { receiptHashOf } from "./entities/receiptHash";
import { newSeats, seatOf } from "./entities/seat";
import { newTaskEvent } from "./entities/taskEvent";
import { countCancelled, countPosted, countRefunded, countSettled } from "./entities/totals";
import { receiptStatusName, refundReasonName } from "./names";
import { positionOf } from "./position";

export { handleOutputAttested, handleOutputDelivered, handleOutputDemanded, handleOutputForfeited } from "./demands";

export function handleTaskPosted(event: TaskPosted): void {
  const task = new Task(event.params.taskId);
  task.payer = event.params.payer;
  task.modelId = event.params.modelId;
  task.inputCommitment = event.params.inputCommitment;
  task.inputCiphertext = event.params.inputCiphertext;
  task.clientKey = event.params.clientKey;
  task.contentHash = contentHashOf(event.params.modelId, event.params.inputCommitment);
  task.workCums = event.params.workCums;
  task.priceUsd6PerGcums = event.params.priceUsd6PerGcums;
  task.stakeWeiPerUsd6 = event.params.stakeWeiPerUsd6;
  task.maxAmountUsd6 = event.params.maxAmountUsd6;
  task.deadline = event.params.deadline;
  task.backups = event.params.backups;
  task.status = "Posted";
  task.assignment = 0;
  task.seats = [];
  task.postedAt = event.params.postedAt;
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
  const seats = event.params.seats;
  const network = loadNetwork();
  countTransition(network, task.status, "Assigned");
  network.save();

  task.status = "Assigned";
  task.assignment = event.params.assignment;
  task.assigner = event.params.assigner;
  task.seats = newSeats(task, event.params.assignment, seats);
  task.assignedAt = event.block.timestamp;
  task.assignedBlock = event.block.number;
  task.assignedTx = event.transaction.hash;
  task.acceptedAt = null;
  task.acceptedBlock = null;
  task.acceptedTx = null;
  task.save();

  const row = newTaskEvent(event, task.id, "Assigned", event.params.assignment);
  row.account = event.params.assigner;
  const nodeIds: BigInt[] = [];
  for (let i = 0; i < seats.length; i++) {
    nodeIds.push(seats[i].nodeId);
    countAssignment(seats[i].nodeId);
  }
  row.nodeIds = nodeIds;
  if (seats.length > 0) {
    row.node = seats[0].nodeId.toString();
    row.powerCu = seats[0].powerCu;
  }
  row.save();
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
  task.save();
  const seat = seatOf(task, event.params.nodeId);
  if (seat != null) {
    seat.accepted = true;
    seat.save();
  }

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
  countSettled(event, task.status, cums);
  countBill(event.params.nodeId, event.params.amountUsd6, cums, event.block.timestamp);
  loadAccount(event.params.payout).save();
  bill(event, task);

  task.status = "Settled";
  task.bill = task.id;
  task.amountUsd6 = event.params.amountUsd6;
  task.standbyUsd6 = event.params.standbyUsd6;
  task.refundUsd6 = event.params.refundUsd6;
  task.settledAt = event.block.timestamp;
  task.settledBlock = event.block.number;
  task.settledTx = event.transaction.hash;
  task.save();
  const seat = seatOf(task, event.params.nodeId);
  if (seat != null) {
    seat.billed = true;
    seat.save();
  }

  const row = newTaskEvent(event, task.id, "Settled", event.params.assignment);
  row.attempt = event.params.attempt;
  row.node = event.params.nodeId.toString();
  row.powerCu = event.params.powerCu;
  row.durationMs = event.params.durationMs;
  row.amountUsd6 = event.params.amountUsd6;
  row.standbyUsd6 = event.params.standbyUsd6;
  row.refundUsd6 = event.params.refundUsd6;
  row.timeMs = event.params.startMs;
  row.save();
}

/** Comes with TaskSettled, which has counted the standby of all backups already; this is who got it. */
export function handleTaskStandbyPaid(event: TaskStandbyPaid): void {
  const task = Task.load(event.params.taskId);
  if (task == null) return;
  const nodeId = event.params.nodeId.toString();
  const line = new StandbyLine(task.id.concatI32(event.params.nodeId.toI32()));
  line.task = task.id;
  line.bill = task.id;
  line.payer = task.payer;
  line.payout = event.params.payout;
  line.node = nodeId;
  line.amountUsd6 = event.params.amountUsd6;
  line.position = positionOf(event);
  line.block = event.block.number;
  line.timestamp = event.block.timestamp;
  line.tx = event.transaction.hash;
  line.save();
  loadAccount(event.params.payout).save();
  countStandby(event.params.nodeId, event.params.amountUsd6, event.block.timestamp);

  const seat = seatOf(task, event.params.nodeId);
  if (seat != null) {
    seat.standbyUsd6 = event.params.amountUsd6;
    seat.save();
  }
  const row = newTaskEvent(event, task.id, "StandbyPaid", task.assignment);
  row.node = nodeId;
  row.amountUsd6 = event.params.amountUsd6;
  row.save();
}

export function handleTaskAttemptFailed(event: TaskAttemptFailed): void {
  const task = Task.load(event.params.taskId);
  if (task == null) return;
  const nodeId = event.params.nodeId.toString();
  const status = receiptStatusName(event.params.status);
  const seat = seatOf(task, event.params.nodeId);
  if (seat != null) {
    seat.failure = status;
    seat.save();
  }

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
  row.slot = event.params.slot;
  row.powerCu = event.params.powerCu;
  row.durationMs = event.params.durationMs;
  row.priceUsd6PerGcums = event.params.priceUsd6PerGcums;
  row.amountUsd6 = event.params.amountUsd6;
  row.standbyUsd6 = event.params.standbyUsd6;
  row.totalUsd6 = event.params.amountUsd6.plus(event.params.standbyUsd6);
  row.state = "Standing";
  row.refundUsd6 = event.params.refundUsd6;
  row.startMs = event.params.startMs;
  row.outputCommitment = event.params.outputCommitment;
  row.outputCiphertext = event.params.outputCiphertext;
  row.receiptHash = receiptHashOf(event, task);
  row.position = positionOf(event);
  row.block = event.block.number;
  row.timestamp = event.block.timestamp;
  row.tx = event.transaction.hash;
  row.save();
}

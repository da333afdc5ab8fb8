/** What a task's life adds to a node's record. An id that was never registered changes nothing. */
import { BigInt } from "@graphprotocol/graph-ts";
import { Node } from "../../generated/schema";
import { ONE } from "../numbers";

export function countAssignment(nodeId: BigInt): void {
  const node = Node.load(nodeId.toString());
  if (node == null) return;
  node.tasksAssigned = node.tasksAssigned.plus(ONE);
  node.save();
}

export function countAccept(nodeId: BigInt): void {
  const node = Node.load(nodeId.toString());
  if (node == null) return;
  node.tasksAccepted = node.tasksAccepted.plus(ONE);
  node.save();
}

export function countFailure(nodeId: BigInt): void {
  const node = Node.load(nodeId.toString());
  if (node == null) return;
  node.tasksFailed = node.tasksFailed.plus(ONE);
  node.save();
}

export function countBill(nodeId: BigInt, amountUsd6: BigInt, cums: BigInt, billedAt: BigInt): void {
  const node = Node.load(nodeId.toString());
  if (node == null) return;
  node.tasksServed = node.tasksServed.plus(ONE);
  node.earnedUsd6 = node.earnedUsd6.plus(amountUsd6);
  node.servedCums = node.servedCums.plus(cums);
  node.lastBilledAt = billedAt;
  node.save();
}

export function countStandby(nodeId: BigInt, amountUsd6: BigInt, billedAt: BigInt): void {
  const node = Node.load(nodeId.toString());
  if (node == null) return;
  node.tasksStandby = node.tasksStandby.plus(ONE);
  node.earnedUsd6 = node.earnedUsd6.plus(amountUsd6);
  node.standbyUsd6 = node.standbyUsd6.plus(amountUsd6);
  node.lastBilledAt = billedAt;
  node.save();
}

/** Its bill is the payer's again; that it executed stays counted. */
export function countForfeiture(nodeId: BigInt, amountUsd6: BigInt): void {
  const node = Node.load(nodeId.toString());
  if (node == null) return;
  node.tasksForfeited = node.tasksForfeited.plus(ONE);
  node.earnedUsd6 = node.earnedUsd6.minus(amountUsd6);
  node.save();
}

/** What a task's life adds to a node's record. An id that was never registered (0: no backup) changes nothing. */
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

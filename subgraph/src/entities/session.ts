/** A session's rows: the lane of a node, the timeline, and what bills add to the totals. */
import { Address, BigInt, Bytes, ethereum } from "@graphprotocol/graph-ts";
import { Lane, Node, SessionEvent } from "../../generated/schema";
import { ONE, ZERO } from "../numbers";
import { eventId, positionOf } from "../position";
import { loadDailyTotal, loadPayerDay } from "./days";
import { loadNetwork } from "./network";

export function laneId(sessionId: Bytes, nodeId: BigInt): Bytes {
  return sessionId.concatI32(nodeId.toI32());
}

export function newLane(sessionId: Bytes, nodeId: BigInt, assignedAt: BigInt): Lane {
  const lane = new Lane(laneId(sessionId, nodeId));
  lane.session = sessionId;
  lane.node = nodeId.toString();
  lane.role = "Primary";
  lane.status = "Active";
  lane.powerCu = ZERO;
  lane.allotmentUsd6 = ZERO;
  lane.weight = ZERO;
  lane.seq = ZERO;
  lane.billedUsd6 = ZERO;
  lane.paidUsd6 = ZERO;
  lane.feeUsd6 = ZERO;
  lane.owedUsd6 = ZERO;
  lane.burnedUsd6 = ZERO;
  lane.assignedAt = assignedAt;
  return lane;
}

/** To be completed by what the event says, and saved. */
export function newSessionEvent(event: ethereum.Event, sessionId: Bytes, kind: string): SessionEvent {
  const row = new SessionEvent(eventId(event));
  row.kind = kind;
  row.session = sessionId;
  row.position = positionOf(event);
  row.block = event.block.number;
  row.timestamp = event.block.timestamp;
  row.tx = event.transaction.hash;
  return row;
}

export function countSession(): void {
  const network = loadNetwork();
  network.sessions = network.sessions.plus(ONE);
  network.save();
}

export function countSessionBills(
  event: ethereum.Event,
  payer: Address,
  records: BigInt,
  amountUsd6: BigInt,
  cums: BigInt,
): void {
  const network = loadNetwork();
  network.sessionBills = network.sessionBills.plus(records);
  network.settledUsd6 = network.settledUsd6.plus(amountUsd6);
  network.settledCums = network.settledCums.plus(cums);
  network.save();

  const day = loadDailyTotal(event);
  day.settledUsd6 = day.settledUsd6.plus(amountUsd6);
  day.settledCums = day.settledCums.plus(cums);
  day.save();

  const payerDay = loadPayerDay(payer, event);
  payerDay.settledUsd6 = payerDay.settledUsd6.plus(amountUsd6);
  payerDay.settledCums = payerDay.settledCums.plus(cums);
  payerDay.save();
}

export function countServed(nodeId: BigInt, executions: BigInt, earnedUsd6: BigInt, cums: BigInt, billedAt: BigInt): void {
  const node = Node.load(nodeId.toString());
  if (node == null) return;
  node.tasksServed = node.tasksServed.plus(executions);
  node.earnedUsd6 = node.earnedUsd6.plus(earnedUsd6);
  node.servedCums = node.servedCums.plus(cums);
  node.lastBilledAt = billedAt;
  node.save();
}

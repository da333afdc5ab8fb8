/** A row of a task's timeline, with what every row has; the handler adds what its kind has and saves it. */
import { Bytes, ethereum } from "@graphprotocol/graph-ts";
import { TaskEvent } from "../../generated/schema";
import { eventId, positionOf } from "../position";

export function newTaskEvent(event: ethereum.Event, taskId: Bytes, kind: string, assignment: i32): TaskEvent {
  const row = new TaskEvent(eventId(event));
  row.kind = kind;
  row.task = taskId;
  row.assignment = assignment;
  row.position = positionOf(event);
  row.block = event.block.number;
  row.timestamp = event.block.timestamp;
  row.tx = event.transaction.hash;
  return row;
}

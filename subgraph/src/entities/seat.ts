/** The seats of a task's assignments: who serves, in order, and what became of each. */
import { BigInt, Bytes } from "@graphprotocol/graph-ts";
import { TaskAssignedSeatsStruct } from "../../generated/TaskEscrow/TaskEscrow";
import { Seat, Task } from "../../generated/schema";

/** Makes the seats of a new assignment and returns their ids in order. */
export function newSeats(task: Task, assignment: i32, seats: TaskAssignedSeatsStruct[]): Bytes[] {
  const ids: Bytes[] = [];
  for (let i = 0; i < seats.length; i++) {
    const seat = new Seat(seatId(task.id, assignment, i));
    seat.task = task.id;
    seat.assignment = assignment;
    seat.index = i;
    seat.node = seats[i].nodeId.toString();
    seat.powerCu = seats[i].powerCu;
    seat.accepted = false;
    seat.billed = false;
    seat.save();
    ids.push(seat.id);
  }
  return ids;
}

/** The node's seat in the newest assignment. */
export function seatOf(task: Task, nodeId: BigInt): Seat | null {
  const node = nodeId.toString();
  const ids = task.seats;
  for (let i = 0; i < ids.length; i++) {
    const seat = Seat.load(ids[i]);
    if (seat != null && seat.node == node) return seat;
  }
  return null;
}

function seatId(taskId: Bytes, assignment: i32, index: i32): Bytes {
  const place = new Uint8Array(2);
  place[0] = assignment as u8;
  place[1] = index as u8;
  return taskId.concat(Bytes.fromUint8Array(place));
}

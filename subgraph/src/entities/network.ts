/** The one row of totals over everything. */
import { Network } from "../../generated/schema";
import { ONE, ZERO } from "../numbers";

const ID = "ngpu";

export function loadNetwork(): Network {
  const stored = Network.load(ID);
  if (stored != null) return stored;

  const network = new Network(ID);
  network.nodes = ZERO;
  network.tasks = ZERO;
  network.tasksPosted = ZERO;
  network.tasksAssigned = ZERO;
  network.tasksAccepted = ZERO;
  network.tasksSettled = ZERO;
  network.tasksRefunded = ZERO;
  network.tasksCancelled = ZERO;
  network.tasksDemanded = ZERO;
  network.tasksForfeited = ZERO;
  network.settledUsd6 = ZERO;
  network.standbyUsd6 = ZERO;
  network.forfeitedUsd6 = ZERO;
  network.settledCums = ZERO;
  network.reservedUsd6 = ZERO;
  network.sessions = ZERO;
  network.sessionBills = ZERO;
  network.stakedWei = ZERO;
  network.slashedWei = ZERO;
  network.burnedWei = ZERO;
  return network;
}

/** Moves one task from the count of `from` to the count of `to`; an empty `from` means that it is new. */
export function countTransition(network: Network, from: string, to: string): void {
  if (from == "Posted") network.tasksPosted = network.tasksPosted.minus(ONE);
  else if (from == "Assigned") network.tasksAssigned = network.tasksAssigned.minus(ONE);
  else if (from == "Accepted") network.tasksAccepted = network.tasksAccepted.minus(ONE);

  if (to == "Posted") network.tasksPosted = network.tasksPosted.plus(ONE);
  else if (to == "Assigned") network.tasksAssigned = network.tasksAssigned.plus(ONE);
  else if (to == "Accepted") network.tasksAccepted = network.tasksAccepted.plus(ONE);
  else if (to == "Settled") network.tasksSettled = network.tasksSettled.plus(ONE);
  else if (to == "Refunded") network.tasksRefunded = network.tasksRefunded.plus(ONE);
  else if (to == "Cancelled") network.tasksCancelled = network.tasksCancelled.plus(ONE);
}

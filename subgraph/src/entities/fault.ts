/** A fault as every kind of it begins; the handler adds what its kind has and saves it. */
import { BigInt, Bytes, ethereum } from "@graphprotocol/graph-ts";
import { Fault } from "../../generated/schema";
import { ZERO } from "../numbers";
import { positionOf } from "../position";

export function newFault(event: ethereum.Event, id: Bytes, nodeId: BigInt, kind: string): Fault {
  const fault = new Fault(id);
  fault.node = nodeId.toString();
  fault.kind = kind;
  fault.excused = false;
  fault.overturned = false;
  fault.strikes = 0;
  fault.slashedWei = ZERO;
  fault.position = positionOf(event);
  fault.block = event.block.number;
  fault.timestamp = event.block.timestamp;
  fault.tx = event.transaction.hash;
  return fault;
}

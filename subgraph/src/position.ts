/**
 * Where an event stands among all events of the chain: the id of the row it makes, and the key that rows are sorted by.
 */
import { BigInt, Bytes, ethereum } from "@graphprotocol/graph-ts";

const EVENTS_PER_BLOCK = BigInt.fromI32(1000000);

/** Transaction hash and log index: unique, and the same on every index node. */
export function eventId(event: ethereum.Event): Bytes {
  return event.transaction.hash.concatI32(event.logIndex.toI32());
}

/** block × 1,000,000 + log index: ascending in the order of the chain. */
export function positionOf(event: ethereum.Event): BigInt {
  return event.block.number.times(EVENTS_PER_BLOCK).plus(event.logIndex);
}

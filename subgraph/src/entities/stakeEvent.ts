/** One row of a node's stake history, as the node stands when it happened. */
import { Address, BigInt, ethereum } from "@graphprotocol/graph-ts";
import { Node, StakeEvent } from "../../generated/schema";
import { eventId, positionOf } from "../position";

export function recordStakeEvent(
  event: ethereum.Event,
  node: Node,
  kind: string,
  amountWei: BigInt,
  account: Address | null,
): void {
  const row = new StakeEvent(eventId(event));
  row.kind = kind;
  row.node = node.id;
  row.amountWei = amountWei;
  row.stakedWei = node.stakedWei;
  row.thawingWei = node.thawingWei;
  row.unlockAt = node.unlockAt;
  row.account = account;
  row.position = positionOf(event);
  row.block = event.block.number;
  row.timestamp = event.block.timestamp;
  row.tx = event.transaction.hash;
  row.save();
}

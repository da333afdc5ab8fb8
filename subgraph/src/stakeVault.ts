/** StakeVault: the stake of every node, and its way out. */
import { Address, BigInt, ethereum } from "@graphprotocol/graph-ts";
import { ExitBegun, ExitCancelled, StakeDeposited, StakeWithdrawn } from "../generated/StakeVault/StakeVault";
import { Node, StakeEvent } from "../generated/schema";
import { loadNetwork } from "./entities/network";
import { ZERO } from "./numbers";
import { eventId, positionOf } from "./position";

export function handleStakeDeposited(event: StakeDeposited): void {
  const node = Node.load(event.params.nodeId.toString());
  if (node == null) return;
  node.stakedWei = event.params.stakedWei;
  node.save();
  addToTotal(event.params.amountWei);
  record(event, node, "Deposited", event.params.amountWei, event.params.from);
}

export function handleExitBegun(event: ExitBegun): void {
  const node = Node.load(event.params.nodeId.toString());
  if (node == null) return;
  node.thawingWei = event.params.amountWei;
  node.unlockAt = event.params.unlockAt;
  node.save();
  record(event, node, "ExitBegun", event.params.amountWei, null);
}

export function handleExitCancelled(event: ExitCancelled): void {
  const node = Node.load(event.params.nodeId.toString());
  if (node == null) return;
  node.thawingWei = ZERO;
  node.unlockAt = null;
  node.save();
  record(event, node, "ExitCancelled", event.params.amountWei, null);
}

export function handleStakeWithdrawn(event: StakeWithdrawn): void {
  const node = Node.load(event.params.nodeId.toString());
  if (node == null) return;
  node.stakedWei = event.params.stakedWei;
  node.thawingWei = ZERO;
  node.unlockAt = null;
  node.save();
  addToTotal(event.params.amountWei.neg());
  record(event, node, "Withdrawn", event.params.amountWei, event.params.to);
}

function addToTotal(amountWei: BigInt): void {
  const network = loadNetwork();
  network.stakedWei = network.stakedWei.plus(amountWei);
  network.save();
}

function record(event: ethereum.Event, node: Node, kind: string, amountWei: BigInt, account: Address | null): void {
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

/** StakeVault: the stake of every node, and its way out. What was slashed is followed in slashes.ts. */
import { BigInt } from "@graphprotocol/graph-ts";
import {
  ExitBegun,
  ExitCancelled,
  ExitsSlashed,
  StakeDeposited,
  StakeLockShort,
  StakeWithdrawn,
} from "../generated/StakeVault/StakeVault";
import { Node } from "../generated/schema";
import { loadNetwork } from "./entities/network";
import { recordStakeEvent } from "./entities/stakeEvent";
import { ZERO } from "./numbers";

export {
  handleSlashFinished,
  handleSlashReversed,
  handleStakeCreditPaid,
  handleStakeSlashed,
} from "./slashes";

export function handleStakeDeposited(event: StakeDeposited): void {
  const node = Node.load(event.params.nodeId.toString());
  if (node == null) return;
  node.stakedWei = event.params.stakedWei;
  node.save();
  addToTotal(event.params.amountWei);
  recordStakeEvent(event, node, "Deposited", event.params.amountWei, event.params.from);
}

export function handleExitBegun(event: ExitBegun): void {
  const node = Node.load(event.params.nodeId.toString());
  if (node == null) return;
  node.thawingWei = node.thawingWei.plus(event.params.amountWei);
  // All thaw equally long, so the newest is the last.
  setUnlocks(node, node.unlocksAt.concat([event.params.unlockAt]));
  node.save();
  recordStakeEvent(event, node, "ExitBegun", event.params.amountWei, null);
}

export function handleExitCancelled(event: ExitCancelled): void {
  const node = Node.load(event.params.nodeId.toString());
  if (node == null) return;
  node.thawingWei = ZERO;
  setUnlocks(node, []);
  node.save();
  recordStakeEvent(event, node, "ExitCancelled", event.params.amountWei, null);
}

/** A withdrawal takes every exit that is due. */
export function handleStakeWithdrawn(event: StakeWithdrawn): void {
  const node = Node.load(event.params.nodeId.toString());
  if (node == null) return;
  node.stakedWei = event.params.stakedWei;
  node.thawingWei = node.thawingWei.minus(event.params.amountWei);
  const unlocksAt = node.unlocksAt;
  const pending: BigInt[] = [];
  for (let i = 0; i < unlocksAt.length; i++) {
    if (unlocksAt[i].gt(event.block.timestamp)) pending.push(unlocksAt[i]);
  }
  setUnlocks(node, pending);
  node.save();
  addToTotal(event.params.amountWei.neg());
  recordStakeEvent(event, node, "Withdrawn", event.params.amountWei, event.params.to);
}

/** The thawing part of a slash; the event of the slash itself follows in the same transaction. */
export function handleExitsSlashed(event: ExitsSlashed): void {
  const node = Node.load(event.params.nodeId.toString());
  if (node == null) return;
  node.thawingWei = event.params.thawingWei;
  if (event.params.thawingWei.equals(ZERO)) setUnlocks(node, []);
  node.save();
}

/** A settled fee found less free stake than it should have locked. */
export function handleStakeLockShort(event: StakeLockShort): void {
  const node = Node.load(event.params.nodeId.toString());
  if (node == null) return;
  const missing = event.params.askedWei.minus(event.params.lockedWei);
  recordStakeEvent(event, node, "LockShort", missing, null);
}

function setUnlocks(node: Node, unlocksAt: BigInt[]): void {
  node.unlocksAt = unlocksAt;
  node.unlockAt = unlocksAt.length == 0 ? null : unlocksAt[0];
}

function addToTotal(amountWei: BigInt): void {
  const network = loadNetwork();
  network.stakedWei = network.stakedWei.plus(amountWei);
  network.save();
}

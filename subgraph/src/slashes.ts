/** What faults cost: a slash from the moment it is taken until it is paid out or reversed, and the credits it brings. */
import { Address, BigInt } from "@graphprotocol/graph-ts";
import { SlashFinished, SlashReversed, StakeCreditPaid, StakeSlashed } from "../generated/StakeVault/StakeVault";
import { Node, Slash, StakeCredit } from "../generated/schema";
import { loadNetwork } from "./entities/network";
import { recordStakeEvent } from "./entities/stakeEvent";
import { ZERO } from "./numbers";

export function handleStakeSlashed(event: StakeSlashed): void {
  const node = Node.load(event.params.nodeId.toString());
  if (node == null) return;
  const slashedWei = event.params.slashedWei;
  node.stakedWei = node.stakedWei.minus(slashedWei);
  node.slashedWei = node.slashedWei.plus(slashedWei);
  node.save();
  addToTotals(slashedWei);
  recordStakeEvent(event, node, "Slashed", slashedWei, event.params.slasher);
  // There was nothing to take, so nothing is held.
  if (slashedWei.equals(ZERO)) return;

  const slash = new Slash(event.params.slashId.toString());
  slash.node = node.id;
  slash.status = "Held";
  slash.slasher = event.params.slasher;
  slash.reason = event.params.reason;
  slash.evidence = event.params.evidence;
  slash.askedWei = event.params.askedWei;
  slash.slashedWei = slashedWei;
  slash.compensationWei = event.params.compensationWei;
  slash.challengerWei = event.params.challengerWei;
  slash.payableAt = event.params.payableAt;
  slash.slashedAt = event.block.timestamp;
  slash.slashedBlock = event.block.number;
  slash.slashedTx = event.transaction.hash;
  slash.save();
}

export function handleSlashFinished(event: SlashFinished): void {
  const slash = Slash.load(event.params.slashId.toString());
  if (slash == null) return;
  slash.status = "Finished";
  slash.compensated = event.params.compensated;
  slash.challenger = event.params.challenger;
  slash.burnedWei = event.params.burnedWei;
  slash.endedAt = event.block.timestamp;
  slash.endedTx = event.transaction.hash;
  slash.save();
  credit(event.params.compensated, event.params.compensationWei);
  credit(event.params.challenger, event.params.challengerWei);
  const network = loadNetwork();
  network.burnedWei = network.burnedWei.plus(event.params.burnedWei);
  network.save();
}

export function handleSlashReversed(event: SlashReversed): void {
  const slash = Slash.load(event.params.slashId.toString());
  const node = Node.load(event.params.nodeId.toString());
  if (slash == null || node == null) return;
  slash.status = "Reversed";
  slash.endedAt = event.block.timestamp;
  slash.endedTx = event.transaction.hash;
  slash.save();
  node.stakedWei = event.params.stakedWei;
  node.slashedWei = node.slashedWei.minus(event.params.amountWei);
  node.save();
  addToTotals(event.params.amountWei.neg());
  recordStakeEvent(event, node, "SlashReversed", event.params.amountWei, null);
}

export function handleStakeCreditPaid(event: StakeCreditPaid): void {
  const row = loadCredit(event.params.account);
  row.creditWei = row.creditWei.minus(event.params.amountWei);
  row.paidWei = row.paidWei.plus(event.params.amountWei);
  row.save();
}

function credit(account: Address, amountWei: BigInt): void {
  if (amountWei.equals(ZERO)) return;
  const row = loadCredit(account);
  row.creditWei = row.creditWei.plus(amountWei);
  row.save();
}

function loadCredit(account: Address): StakeCredit {
  const stored = StakeCredit.load(account);
  if (stored != null) return stored;
  const row = new StakeCredit(account);
  row.creditWei = ZERO;
  row.paidWei = ZERO;
  return row;
}

function addToTotals(slashedWei: BigInt): void {
  const network = loadNetwork();
  network.stakedWei = network.stakedWei.minus(slashedWei);
  network.slashedWei = network.slashedWei.plus(slashedWei);
  network.save();
}

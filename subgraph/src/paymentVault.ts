/**
 * PaymentVault: the money of every address. Payer and payee may be one address, so each side is loaded, changed and
 * saved before the other is loaded.
 */
import { Address, BigInt, ethereum } from "@graphprotocol/graph-ts";
import {
  Contested,
  CreditPaid,
  DebtCollected,
  Deposited,
  Held,
  PaidFromHeld,
  Released,
  Reserved,
  ReturnedFromHeld,
  Settled,
  WithdrawalBegun,
  WithdrawalCancelled,
  Withdrawn,
} from "../generated/PaymentVault/PaymentVault";
import { AccountEvent } from "../generated/schema";
import { loadAccount } from "./entities/account";
import { loadNetwork } from "./entities/network";
import { ZERO } from "./numbers";
import { eventId, positionOf } from "./position";

export function handleDeposited(event: Deposited): void {
  const account = loadAccount(event.params.account);
  account.availableUsd6 = account.availableUsd6.plus(event.params.amountUsd6);
  account.depositedUsd6 = account.depositedUsd6.plus(event.params.amountUsd6);
  account.save();
  record(event, "Deposited", event.params.account, event.params.amountUsd6, event.params.from);
}

export function handleReserved(event: Reserved): void {
  const account = loadAccount(event.params.account);
  account.availableUsd6 = account.availableUsd6.minus(event.params.amountUsd6);
  account.reservedUsd6 = account.reservedUsd6.plus(event.params.amountUsd6);
  account.save();
  addToReserved(event.params.amountUsd6);
}

export function handleSettled(event: Settled): void {
  const reservedUsd6 = event.params.paidUsd6.plus(event.params.releasedUsd6);
  const payer = loadAccount(event.params.payer);
  payer.reservedUsd6 = payer.reservedUsd6.minus(reservedUsd6);
  payer.availableUsd6 = payer.availableUsd6.plus(event.params.releasedUsd6);
  payer.spentUsd6 = payer.spentUsd6.plus(event.params.paidUsd6);
  payer.save();

  const payee = loadAccount(event.params.payee);
  payee.creditUsd6 = payee.creditUsd6.plus(event.params.paidUsd6);
  payee.earnedUsd6 = payee.earnedUsd6.plus(event.params.paidUsd6);
  payee.creditedAt = event.block.timestamp;
  payee.save();
  addToReserved(reservedUsd6.neg());
}

export function handleReleased(event: Released): void {
  const account = loadAccount(event.params.account);
  account.reservedUsd6 = account.reservedUsd6.minus(event.params.amountUsd6);
  account.availableUsd6 = account.availableUsd6.plus(event.params.amountUsd6);
  account.save();
  addToReserved(event.params.amountUsd6.neg());
}

export function handleHeld(event: Held): void {
  const account = loadAccount(event.params.payer);
  account.availableUsd6 = account.availableUsd6.minus(event.params.amountUsd6);
  account.heldUsd6 = account.heldUsd6.plus(event.params.amountUsd6);
  account.save();
}

/** Whose held money it was is in the events of the rail. */
export function handlePaidFromHeld(event: PaidFromHeld): void {
  const payee = loadAccount(event.params.payee);
  payee.creditUsd6 = payee.creditUsd6.plus(event.params.amountUsd6);
  payee.earnedUsd6 = payee.earnedUsd6.plus(event.params.amountUsd6);
  payee.save();
}

export function handleReturnedFromHeld(event: ReturnedFromHeld): void {
  const account = loadAccount(event.params.payer);
  account.heldUsd6 = account.heldUsd6.minus(event.params.amountUsd6);
  account.availableUsd6 = account.availableUsd6.plus(event.params.amountUsd6);
  account.save();
}

/** What was earned and is contested is nobody's credit; in the pot it counts as held for the payer, see demands.ts. */
export function handleContested(event: Contested): void {
  const payee = loadAccount(event.params.payee);
  payee.creditUsd6 = payee.creditUsd6.minus(event.params.amountUsd6);
  payee.earnedUsd6 = payee.earnedUsd6.minus(event.params.amountUsd6);
  payee.save();
}

/** As the vault takes it: available money first, then what thaws. */
export function handleDebtCollected(event: DebtCollected): void {
  const payer = loadAccount(event.params.payer);
  const amountUsd6 = event.params.amountUsd6;
  const fromAvailable = payer.availableUsd6.lt(amountUsd6) ? payer.availableUsd6 : amountUsd6;
  payer.availableUsd6 = payer.availableUsd6.minus(fromAvailable);
  payer.thawingUsd6 = payer.thawingUsd6.minus(amountUsd6.minus(fromAvailable));
  payer.save();

  const payee = loadAccount(event.params.payee);
  payee.creditUsd6 = payee.creditUsd6.plus(amountUsd6);
  payee.earnedUsd6 = payee.earnedUsd6.plus(amountUsd6);
  payee.save();
}

export function handleWithdrawalBegun(event: WithdrawalBegun): void {
  moveToThawing(event.params.account, event.params.amountUsd6);
}

export function handleWithdrawalCancelled(event: WithdrawalCancelled): void {
  moveToThawing(event.params.account, event.params.amountUsd6.neg());
}

/** What leaves had thawed, all of it at once, or else was available. */
export function handleWithdrawn(event: Withdrawn): void {
  const account = loadAccount(event.params.account);
  const hasThawed = account.thawingUsd6.gt(ZERO) && account.thawingUsd6.equals(event.params.amountUsd6);
  if (hasThawed) account.thawingUsd6 = ZERO;
  else account.availableUsd6 = account.availableUsd6.minus(event.params.amountUsd6);
  account.withdrawnUsd6 = account.withdrawnUsd6.plus(event.params.amountUsd6);
  account.save();
  record(event, "Withdrawn", event.params.account, event.params.amountUsd6, event.params.to);
}

export function handleCreditPaid(event: CreditPaid): void {
  const account = loadAccount(event.params.account);
  account.creditUsd6 = account.creditUsd6.minus(event.params.amountUsd6);
  account.creditPaidUsd6 = account.creditPaidUsd6.plus(event.params.amountUsd6);
  account.save();
  record(event, "CreditPaid", event.params.account, event.params.amountUsd6, event.params.account);
}

function moveToThawing(address: Address, amountUsd6: BigInt): void {
  const account = loadAccount(address);
  account.availableUsd6 = account.availableUsd6.minus(amountUsd6);
  account.thawingUsd6 = account.thawingUsd6.plus(amountUsd6);
  account.save();
}

function addToReserved(amountUsd6: BigInt): void {
  const network = loadNetwork();
  network.reservedUsd6 = network.reservedUsd6.plus(amountUsd6);
  network.save();
}

function record(
  event: ethereum.Event,
  kind: string,
  account: Address,
  amountUsd6: BigInt,
  counterparty: Address,
): void {
  const row = new AccountEvent(eventId(event));
  row.kind = kind;
  row.account = account;
  row.amountUsd6 = amountUsd6;
  row.counterparty = counterparty;
  row.position = positionOf(event);
  row.block = event.block.number;
  row.timestamp = event.block.timestamp;
  row.tx = event.transaction.hash;
  row.save();
}

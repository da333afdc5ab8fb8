/**
 * PaymentVault: the money of every address. Payer and payee may be one address, so each side is loaded, changed and
 * saved before the other is loaded.
 */
import { Address, BigInt, ethereum } from "@graphprotocol/graph-ts";
import {
  CreditPaid,
  Deposited,
  Released,
  Reserved,
  Settled,
  Withdrawn,
} from "../generated/PaymentVault/PaymentVault";
import { AccountEvent } from "../generated/schema";
import { loadAccount } from "./entities/account";
import { loadNetwork } from "./entities/network";
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

export function handleWithdrawn(event: Withdrawn): void {
  const account = loadAccount(event.params.account);
  account.availableUsd6 = account.availableUsd6.minus(event.params.amountUsd6);
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

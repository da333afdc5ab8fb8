/** An address as payer and payee; it comes into being the first time an event names it. */
import { Address } from "@graphprotocol/graph-ts";
import { Account } from "../../generated/schema";
import { ZERO } from "../numbers";

export function loadAccount(address: Address): Account {
  const stored = Account.load(address);
  if (stored != null) return stored;

  const account = new Account(address);
  account.availableUsd6 = ZERO;
  account.reservedUsd6 = ZERO;
  account.heldUsd6 = ZERO;
  account.thawingUsd6 = ZERO;
  account.creditUsd6 = ZERO;
  account.spentUsd6 = ZERO;
  account.bondsLostUsd6 = ZERO;
  account.earnedUsd6 = ZERO;
  account.depositedUsd6 = ZERO;
  account.withdrawnUsd6 = ZERO;
  account.creditPaidUsd6 = ZERO;
  account.tasksPosted = ZERO;
  account.tasksSettled = ZERO;
  account.tasksRefunded = ZERO;
  account.tasksCancelled = ZERO;
  account.tasksDemanded = ZERO;
  account.tasksForfeited = ZERO;
  return account;
}

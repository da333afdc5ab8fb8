/** Everything that counts a task: the deployment, its payer, and the day, of everybody and of the payer. */
import { Address, BigInt, ethereum } from "@graphprotocol/graph-ts";
import { Bill } from "../../generated/schema";
import { TaskSettled } from "../../generated/TaskEscrow/TaskEscrow";
import { ONE } from "../numbers";
import { loadAccount } from "./account";
import { dayOf, loadDailyTotal, loadPayerDay, loadTotalOfDay, loadTotalOfPayerDay } from "./days";
import { countTransition, loadNetwork } from "./network";

export function countPosted(event: ethereum.Event, payer: Address): void {
  const network = loadNetwork();
  network.tasks = network.tasks.plus(ONE);
  countTransition(network, "", "Posted");
  network.save();

  const account = loadAccount(payer);
  account.tasksPosted = account.tasksPosted.plus(ONE);
  account.save();

  const day = loadDailyTotal(event);
  day.tasksPosted = day.tasksPosted.plus(ONE);
  day.save();

  const payerDay = loadPayerDay(payer, event);
  payerDay.tasksPosted = payerDay.tasksPosted.plus(ONE);
  payerDay.save();
}

export function countSettled(event: TaskSettled, from: string, cums: BigInt): void {
  const standbyUsd6 = event.params.standbyUsd6;
  const totalUsd6 = event.params.amountUsd6.plus(standbyUsd6);
  const network = loadNetwork();
  countTransition(network, from, "Settled");
  network.settledUsd6 = network.settledUsd6.plus(totalUsd6);
  network.standbyUsd6 = network.standbyUsd6.plus(standbyUsd6);
  network.settledCums = network.settledCums.plus(cums);
  network.save();

  const account = loadAccount(event.params.payer);
  account.tasksSettled = account.tasksSettled.plus(ONE);
  account.save();

  const day = loadDailyTotal(event);
  day.tasksSettled = day.tasksSettled.plus(ONE);
  day.settledUsd6 = day.settledUsd6.plus(totalUsd6);
  day.standbyUsd6 = day.standbyUsd6.plus(standbyUsd6);
  day.settledCums = day.settledCums.plus(cums);
  day.save();

  const payerDay = loadPayerDay(event.params.payer, event);
  payerDay.tasksSettled = payerDay.tasksSettled.plus(ONE);
  payerDay.settledUsd6 = payerDay.settledUsd6.plus(totalUsd6);
  payerDay.standbyUsd6 = payerDay.standbyUsd6.plus(standbyUsd6);
  payerDay.settledCums = payerDay.settledCums.plus(cums);
  payerDay.save();
}

export function countDemanded(payer: Address): void {
  const network = loadNetwork();
  network.tasksDemanded = network.tasksDemanded.plus(ONE);
  network.save();

  const account = loadAccount(payer);
  account.tasksDemanded = account.tasksDemanded.plus(ONE);
  account.save();
}

/** Takes a bill out of every total of money that it was put in, on the day of the bill. Counts and work stay. */
export function countForfeited(payer: Address, bill: Bill): void {
  const network = loadNetwork();
  network.tasksForfeited = network.tasksForfeited.plus(ONE);
  network.settledUsd6 = network.settledUsd6.minus(bill.amountUsd6);
  network.forfeitedUsd6 = network.forfeitedUsd6.plus(bill.amountUsd6);
  network.save();

  const account = loadAccount(payer);
  account.tasksForfeited = account.tasksForfeited.plus(ONE);
  account.spentUsd6 = account.spentUsd6.minus(bill.amountUsd6);
  account.save();

  const billedOn = dayOf(bill.timestamp);
  const day = loadTotalOfDay(billedOn);
  day.tasksForfeited = day.tasksForfeited.plus(ONE);
  day.settledUsd6 = day.settledUsd6.minus(bill.amountUsd6);
  day.save();

  const payerDay = loadTotalOfPayerDay(payer, billedOn);
  payerDay.tasksForfeited = payerDay.tasksForfeited.plus(ONE);
  payerDay.settledUsd6 = payerDay.settledUsd6.minus(bill.amountUsd6);
  payerDay.save();
}

/** A bond of a demand that keepers answered: the payer's cost of the day on which it lost it. */
export function countBondLost(event: ethereum.Event, payer: Address, bondUsd6: BigInt): void {
  const account = loadAccount(payer);
  account.bondsLostUsd6 = account.bondsLostUsd6.plus(bondUsd6);
  account.save();

  const payerDay = loadPayerDay(payer, event);
  payerDay.bondsLostUsd6 = payerDay.bondsLostUsd6.plus(bondUsd6);
  payerDay.save();
}

export function countRefunded(event: ethereum.Event, payer: Address, from: string): void {
  const network = loadNetwork();
  countTransition(network, from, "Refunded");
  network.save();

  const account = loadAccount(payer);
  account.tasksRefunded = account.tasksRefunded.plus(ONE);
  account.save();

  const day = loadDailyTotal(event);
  day.tasksRefunded = day.tasksRefunded.plus(ONE);
  day.save();

  const payerDay = loadPayerDay(payer, event);
  payerDay.tasksRefunded = payerDay.tasksRefunded.plus(ONE);
  payerDay.save();
}

export function countCancelled(event: ethereum.Event, payer: Address, from: string): void {
  const network = loadNetwork();
  countTransition(network, from, "Cancelled");
  network.save();

  const account = loadAccount(payer);
  account.tasksCancelled = account.tasksCancelled.plus(ONE);
  account.save();

  const day = loadDailyTotal(event);
  day.tasksCancelled = day.tasksCancelled.plus(ONE);
  day.save();

  const payerDay = loadPayerDay(payer, event);
  payerDay.tasksCancelled = payerDay.tasksCancelled.plus(ONE);
  payerDay.save();
}

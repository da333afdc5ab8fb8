/** Everything that counts a task: the deployment, its payer, and the day, of everybody and of the payer. */
import { Address, BigInt, ethereum } from "@graphprotocol/graph-ts";
import { ONE } from "../numbers";
import { loadAccount } from "./account";
import { loadDailyTotal, loadPayerDay } from "./days";
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

export function countSettled(
  event: ethereum.Event,
  payer: Address,
  from: string,
  amountUsd6: BigInt,
  cums: BigInt,
): void {
  const network = loadNetwork();
  countTransition(network, from, "Settled");
  network.settledUsd6 = network.settledUsd6.plus(amountUsd6);
  network.settledCums = network.settledCums.plus(cums);
  network.save();

  const account = loadAccount(payer);
  account.tasksSettled = account.tasksSettled.plus(ONE);
  account.save();

  const day = loadDailyTotal(event);
  day.tasksSettled = day.tasksSettled.plus(ONE);
  day.settledUsd6 = day.settledUsd6.plus(amountUsd6);
  day.settledCums = day.settledCums.plus(cums);
  day.save();

  const payerDay = loadPayerDay(payer, event);
  payerDay.tasksSettled = payerDay.tasksSettled.plus(ONE);
  payerDay.settledUsd6 = payerDay.settledUsd6.plus(amountUsd6);
  payerDay.settledCums = payerDay.settledCums.plus(cums);
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

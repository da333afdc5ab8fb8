/**
 * Totals by UTC day, of everybody and of each payer. A day is counted in a BigInt, so no block time can overflow it.
 */
import { Address, BigInt, ethereum } from "@graphprotocol/graph-ts";
import { DailyTotal, PayerDay } from "../../generated/schema";
import { ZERO } from "../numbers";

const SECONDS_PER_DAY = BigInt.fromI32(86400);

export function loadDailyTotal(event: ethereum.Event): DailyTotal {
  return loadTotalOfDay(dayOf(event.block.timestamp));
}

export function loadPayerDay(payer: Address, event: ethereum.Event): PayerDay {
  return loadTotalOfPayerDay(payer, dayOf(event.block.timestamp));
}

export function dayOf(timestamp: BigInt): BigInt {
  return timestamp.div(SECONDS_PER_DAY);
}

export function loadTotalOfDay(day: BigInt): DailyTotal {
  const id = day.toString();
  const stored = DailyTotal.load(id);
  if (stored != null) return stored;

  const total = new DailyTotal(id);
  total.day = day;
  total.startsAt = day.times(SECONDS_PER_DAY);
  total.tasksPosted = ZERO;
  total.tasksSettled = ZERO;
  total.tasksRefunded = ZERO;
  total.tasksCancelled = ZERO;
  total.tasksForfeited = ZERO;
  total.settledUsd6 = ZERO;
  total.standbyUsd6 = ZERO;
  total.settledCums = ZERO;
  return total;
}

export function loadTotalOfPayerDay(payer: Address, day: BigInt): PayerDay {
  const id = payer.toHexString() + "-" + day.toString();
  const stored = PayerDay.load(id);
  if (stored != null) return stored;

  const total = new PayerDay(id);
  total.payer = payer;
  total.day = day;
  total.startsAt = day.times(SECONDS_PER_DAY);
  total.tasksPosted = ZERO;
  total.tasksSettled = ZERO;
  total.tasksRefunded = ZERO;
  total.tasksCancelled = ZERO;
  total.tasksForfeited = ZERO;
  total.settledUsd6 = ZERO;
  total.standbyUsd6 = ZERO;
  total.bondsLostUsd6 = ZERO;
  total.settledCums = ZERO;
  return total;
}

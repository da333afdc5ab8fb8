/**
 * When earned money can be paid out. The vault cuts time into periods: what is settled in one matures when the next is
 * over, so after one period at least and two at most. Pure.
 */

/** Chain time in seconds by which all of a credit can be paid out, of which something is immature at `nowS`. */
export function maturesBy(credit: {
  maturitySeconds: number;
  nowS: bigint;
  /** Chain time of the newest settlement that credited it, where the index tells it. */
  creditedAtS?: bigint | undefined;
}): number {
  const { maturitySeconds, nowS, creditedAtS = nowS } = credit;
  const endOf = (seconds: bigint, periods: number): number =>
    (Math.floor(Number(seconds) / maturitySeconds) + periods) * maturitySeconds;
  // An index that lags may not know the newest settlement: what is immature now is so until this period ends.
  return Math.max(endOf(creditedAtS, 2), endOf(nowS, 1));
}

/** Why nothing can be paid out now; undefined if something can. */
export function whyNoPayout({ creditUsd6, immatureUsd6 }: { creditUsd6: bigint; immatureUsd6: bigint }) {
  if (creditUsd6 === 0n) return "Nothing is waiting.";
  return creditUsd6 > immatureUsd6 ? undefined : "Its payers may still say that they cannot get their outputs.";
}

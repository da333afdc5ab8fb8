/** How money leaves the vault: at once, or by a thaw while sessions are open, because they may still owe it. */

export interface Withdrawal {
  thawingUsd6: bigint;
  /** Chain time in seconds. */
  unlockAt: number;
  /** Open sessions. */
  obligations: number;
}

export type WayOut = "atOnce" | "thaws";

export function wayOut({ obligations }: Pick<Withdrawal, "obligations">): WayOut {
  return obligations === 0 ? "atOnce" : "thaws";
}

/** Why no (further) withdrawal can begin; undefined when one can. */
export function whyNoWithdrawal(money: Withdrawal & { availableUsd6: bigint }): string | undefined {
  if (money.availableUsd6 === 0n) return "Nothing is available to withdraw.";
  if (wayOut(money) === "thaws" && money.thawingUsd6 > 0n)
    return "One withdrawal at a time: finish or cancel the one that is on its way.";
  return undefined;
}

/** Seconds until what is on its way can be taken out; 0 when it can, undefined while nothing is or time is unknown. */
export function thawLeftS(money: Withdrawal, nowS: bigint | undefined): number | undefined {
  if (money.thawingUsd6 === 0n || nowS === undefined) return undefined;
  return Math.max(0, money.unlockAt - Number(nowS));
}

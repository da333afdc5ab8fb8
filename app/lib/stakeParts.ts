/** What of a node's stake is free to leave, what is locked, and which exits are on their way. */

export interface PendingExit {
  amountWei: bigint;
  /** Chain time in seconds. */
  unlockAt: number;
}

/** The contract takes no further exit when so many are pending. */
export const mostExits = 32;

export function freeStakeWei(stake: { stakedWei: bigint; thawingWei: bigint; lockedWei: bigint }): bigint {
  const free = stake.stakedWei - stake.thawingWei - stake.lockedWei;
  return free > 0n ? free : 0n;
}

/** What can be withdrawn now, and what is still thawing, earliest first; all of it is thawing while time is unknown. */
export function splitExits(
  exits: readonly PendingExit[],
  nowS: bigint | undefined,
): { dueWei: bigint; thawing: PendingExit[] } {
  const isDue = ({ unlockAt }: PendingExit): boolean => nowS !== undefined && BigInt(unlockAt) <= nowS;
  const dueWei = exits.filter(isDue).reduce((sum, { amountWei }) => sum + amountWei, 0n);
  return { dueWei, thawing: exits.filter((exit) => !isDue(exit)) };
}

/** Why an exit with this amount cannot begin; undefined when it can. */
export function whyNoExit(stake: {
  activeWei: bigint;
  lockedWei: bigint;
  exits: number;
  amountWei: bigint | undefined;
}): string | undefined {
  const { activeWei, lockedWei, exits, amountWei } = stake;
  const freeWei = activeWei > lockedWei ? activeWei - lockedWei : 0n;
  if (activeWei === 0n) return "Nothing is staked.";
  if (exits >= mostExits) return `${mostExits} exits are pending; the earliest must be withdrawn first.`;
  if (freeWei === 0n) return lockedWords;
  if (amountWei === undefined || amountWei === 0n) return "Enter an amount.";
  if (amountWei > activeWei) return "That is more than is active.";
  return amountWei > freeWei ? `That is more than is free. The rest is ${lockedWords.toLowerCase()}` : undefined;
}

export const lockedWords = "Locked until the dispute windows of its latest fees end.";

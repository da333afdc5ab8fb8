/**
 * When a payer counts as withholding its signature, so that the node's receipts are shown on chain and, unless a
 * voucher covers them within a settle window, their worth is burned on both sides. Nodes and keepers share the rule.
 */
export const floorRule = {
  /** A client signs after 30 s at most; one that was killed has so long to come back. */
  claimAfterS: 600,
} as const;

/** Of an ended session half the settle window has passed: a later claim might come too late. */
export function isClaimDue(lane: {
  /** When the oldest execution that no voucher covers ended. */
  oldestMs: bigint;
  nowS: number;
  closesAtS: number;
  settleWindowS: number;
}): boolean {
  const { oldestMs, nowS, closesAtS, settleWindowS } = lane;
  if (nowS >= closesAtS + settleWindowS) return false;
  const waitedMs = BigInt(nowS) * 1_000n - oldestMs;
  return waitedMs >= BigInt(floorRule.claimAfterS) * 1_000n || nowS >= closesAtS + settleWindowS / 2;
}

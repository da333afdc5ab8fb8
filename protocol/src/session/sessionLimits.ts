/** Every fixed limit of the session rail, equal to contracts/libraries/SessionLimits.sol. */
export const sessionLimits = {
  maxSessionS: 90 * 24 * 3_600,
  minSettleWindowS: 60,
  maxSettleWindowS: 7 * 24 * 3_600,
  maxFeeBps: 500,
  /** What a node serves at most before it insists on a voucher, in ms of execution. */
  creditWindowMs: 60_000,
  /** Receipts of one claim on a lane's floor, and with it the most that a node leaves unsigned. */
  maxClaimReceipts: 64,
} as const;

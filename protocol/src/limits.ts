/** Fixed limits of the direct rail, mirrored from contracts/libraries/Limits.sol; a test compares the two. */
export const limits = {
  minDeadlineS: 10,
  maxDeadlineS: 3_600,
  keeperWindowS: 60,
  acceptWindowS: 30,
  settleGraceS: 900,
  minAnswerWindowS: 10,
  maxAnswerWindowS: 86_400,
  maxQuorum: 8,
  maxAssignments: 8,
  maxBackups: 3,
  /** Of the bill, for each backup that held the input ready and was not needed. */
  standbyBps: 1_000n,
  capNumerator: 5n,
  capDenominator: 4n,
  cumsPerPrice: 1_000_000_000n,
  stakePerTask: 100n,
} as const;

/** Limits of the data plane: what a gateway takes and keeps (docs/PROTOCOL.md §5). */
export const gatewayLimits = {
  maxFrameBytes: 64 * 1024,
  /** Sealed bytes inside a frame of the session rail, as base64: 45 KiB of them, and room for the rest of the frame. */
  maxInlineBase64: 60 * 1024,
  maxBlobBytes: 32 * 1024 * 1024,
  /** Of a model's file in one answer. */
  maxPartBytes: 4 * 1024 * 1024,
  maxOutputsPerNode: 2,
  storeBytes: 2 * 1024 * 1024 * 1024,
  keepAfterDeadlineS: 24 * 3_600,
  clockSkewS: 30,
  loginExpiryS: 60,
  blobAccessExpiryS: 300,
  transportBindingExpiryS: 7 * 24 * 3_600,
} as const;

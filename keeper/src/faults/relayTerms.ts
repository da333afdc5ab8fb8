/** What a relayed answer is paid, as contracts/Availability.sol has it. */
export const relayTerms = {
  /** Gas of relaying, and what of it is paid. */
  ...{ answerGas: 120_000n, factorBps: 15_000n, bps: 10_000n },
  /** Nobody is paid for more than the base fee and this tip. */
  maxTipWei: 2_000_000_000n,
  /** A bond pays the relayer even when the base fee has grown by this factor. */
  headroom: 4n,
} as const;

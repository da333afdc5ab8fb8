/** Bounds of the erasure code: GF(2⁸) has 256 elements, and each encoding symbol id stands for one of them. */
export const fecLimits = {
  /** k + m, and so the number of ESIs of a block. */
  maxEsis: 256,
  /** A block with every ESI taken by a source symbol could have no repair symbol. */
  maxK: 255,
  /** Symbols are a multiple of this. */
  symbolStepBytes: 64,
  maxSymbolBytes: 65_536,
} as const;

/**
 * Where everything lies in the one memory of a codec. Nothing is allocated: each area is as large as its bound, and
 * the memory never grows. It ends at OUTPUT + 256 × SLICE, within 19 pages of 64 KiB.
 */

/** Logarithms to base 2 in GF(2⁸): 256 bytes, the one of 0 unused. */
export const LOG: usize = 1_024;
/** Powers of 2, twice over, so that a sum or difference of two logarithms needs no reduction. */
export const EXP: usize = 1_280;
/** Per input slot the ESI of the symbol that lies in it. */
export const SLOTS: usize = 2_048;
/** Per output row the ESI of the source symbol to recover. */
export const LOST: usize = 2_304;
/** Per slot the logarithm of the factor that its whole column shares. */
export const COLUMN: usize = 2_560;
/** rows × k coefficients, a row after the other: k × (256 − k) is at most 16,384. */
export const COEFFICIENTS: usize = 4_096;
/** What a kernel keeps per coefficient: 32 bytes each. */
export const TABLES: usize = 24_576;
/** Sums of bit planes of the slots at hand; the sliced kernel alone uses them. */
export const SUMS: usize = 32_768;
/** Rows in the making, as bit planes; the sliced kernel alone uses them. */
export const ROWS: usize = 65_536;
/** Of long symbols the kernels see one slice at a time. */
export const SLICE: u32 = 2_048;
/** One slice of every input symbol, and of every output row; a kernel may read a little beyond the last symbol. */
export const INPUT: usize = 131_072;
export const OUTPUT: usize = INPUT + 256 * SLICE + 1_024;

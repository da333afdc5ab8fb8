/**
 * The coefficients of a block. Repair symbol x is the sum over all source symbols c of (k + c) / (x + c), in GF(2⁸):
 * a Cauchy matrix with its columns scaled so that the first repair symbol is the plain sum.
 *
 * Such a code is a Reed–Solomon code in disguise, so the way back needs no elimination: by Lagrange's formula a lost
 * symbol j is the sum over the k symbols z at hand of row(j) × column(z) / (j + z). With L the lost source symbols and
 * R as many repair symbols,
 *
 *   row(j)    = Π{r in R}(j + r) / (Π{l in L, l ≠ j}(j + l) × (k + j))
 *   column(z) = Π{l in L}(z + l) / Π{r in R, r ≠ z}(z + r), times (k + z) where z is a source symbol.
 *
 * This is the product of the inverse of the square Cauchy matrix with the rest of the rows, in k × lost steps.
 */
import { exp, log } from "./field";
import { COEFFICIENTS, COLUMN, LOST, SLOTS } from "./memory";

/** Rows for the repair symbols firstEsi, firstEsi + 1 … of a block of k source symbols. */
export function planRepair(k: u32, firstEsi: u32, rows: u32): void {
  for (let c: u32 = 0; c < k; c++) {
    const column = 255 + log(k ^ c);
    let to = COEFFICIENTS + c;
    for (let esi = firstEsi; esi < firstEsi + rows; esi++, to += k) store<u8>(to, <u8>exp(column - log(esi ^ c)));
  }
}

/** Rows for the source symbols of LOST, from the symbols of SLOTS, where a repair symbol lies in each lost one's place. */
export function planRecovery(k: u32, rows: u32): void {
  for (let slot: u32 = 0; slot < k; slot++) {
    const z: u32 = load<u8>(SLOTS + slot);
    let exponent: i32 = z == slot ? <i32>log(k ^ z) : 0;
    for (let i: u32 = 0; i < rows; i++) {
      const lost: u32 = load<u8>(LOST + i);
      const repair: u32 = load<u8>(SLOTS + lost);
      exponent += log(z ^ lost);
      if (repair != z) exponent -= log(z ^ repair);
    }
    store<u8>(COLUMN + slot, <u8>reduced(exponent));
  }
  let to = COEFFICIENTS;
  for (let i: u32 = 0; i < rows; i++) {
    const j: u32 = load<u8>(LOST + i);
    let exponent: i32 = -(<i32>log(k ^ j));
    for (let other: u32 = 0; other < rows; other++) {
      const lost: u32 = load<u8>(LOST + other);
      exponent += log(j ^ (<u32>load<u8>(SLOTS + lost)));
      if (lost != j) exponent -= log(j ^ lost);
    }
    const row = reduced(exponent);
    for (let slot: u32 = 0; slot < k; slot++, to++) {
      const sum: u32 = row + load<u8>(COLUMN + slot);
      const quotient: i32 = <i32>sum - <i32>log(j ^ (<u32>load<u8>(SLOTS + slot)));
      store<u8>(to, <u8>exp(quotient < 0 ? quotient + 255 : quotient));
    }
  }
}

/** An exponent of either sign, modulo 255. */
function reduced(exponent: i32): u32 {
  const rest = exponent % 255;
  return rest < 0 ? rest + 255 : rest;
}

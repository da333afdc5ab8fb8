/** GF(2⁸) with the polynomial x⁸ + x⁴ + x³ + x² + 1, in which 2 generates every element but 0. */
import { EXP, LOG } from "./memory";

const POLYNOMIAL: u32 = 0x11d;

export function fillField(): void {
  let power: u32 = 1;
  for (let i: u32 = 0; i < 255; i++) {
    store<u8>(EXP + i, <u8>power);
    store<u8>(EXP + 255 + i, <u8>power);
    store<u8>(LOG + power, <u8>i);
    power <<= 1;
    if (power & 0x100) power ^= POLYNOMIAL;
  }
}

/** Logarithm of an element that is not 0. */
@inline
export function log(element: u32): u32 {
  return load<u8>(LOG + element);
}

/** The power of 2 with an exponent below 510. */
@inline
export function exp(exponent: u32): u32 {
  return load<u8>(EXP + exponent);
}

export function product(a: u32, b: u32): u32 {
  return a == 0 || b == 0 ? 0 : exp(log(a) + log(b));
}

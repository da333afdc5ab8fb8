/** The row whose coefficients are all 1, which the first repair symbol of every block is: no multiplication at all. */
import { COEFFICIENTS, INPUT, OUTPUT } from "./memory";
import { xor } from "./words";

/** Whether the first row is a plain sum. */
export function startsPlain(k: u32): bool {
  for (let c: u32 = 0; c < k; c++) if (load<u8>(COEFFICIENTS + c) != 1) return false;
  return true;
}

/** Writes the first row; `width` is a multiple of 64. */
export function addAll<T>(k: u32, width: u32, stride: u32): void {
  const size = <u32>sizeof<T>();
  for (let at: u32 = 0; at < width; at += 4 * size) {
    let from = INPUT + at;
    let a = load<T>(from), b = load<T>(from, sizeof<T>());
    let c = load<T>(from, 2 * sizeof<T>()), d = load<T>(from, 3 * sizeof<T>());
    for (let slot: u32 = 1; slot < k; slot++) {
      from += stride;
      a = xor<T>(a, load<T>(from));
      b = xor<T>(b, load<T>(from, sizeof<T>()));
      c = xor<T>(c, load<T>(from, 2 * sizeof<T>()));
      d = xor<T>(d, load<T>(from, 3 * sizeof<T>()));
    }
    const to = OUTPUT + at;
    store<T>(to, a);
    store<T>(to, b, sizeof<T>());
    store<T>(to, c, 2 * sizeof<T>());
    store<T>(to, d, 3 * sizeof<T>());
  }
}

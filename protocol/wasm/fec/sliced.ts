/**
 * The kernel without any byte shuffle: bytes are cut into eight planes, plane i holding bit i of each, and each plane
 * of a product is the sum of a choice of planes (multiplying is an 8 × 8 matrix over GF(2)). The sums of every choice among the four
 * low and among the four high planes are made once per input symbol (the method of four Russians), so that each plane
 * of a product costs two additions. Needs and, xor and shift alone; `T` is the word it works with: v128 or u64.
 */
import { fillField, product } from "./field";
import { COEFFICIENTS, INPUT, OUTPUT, ROWS, SUMS, TABLES } from "./memory";
import { addAll, startsPlain } from "./plainSum";
import { and, filled, left, right, xor, zero } from "./words";

/** As many symbols as their sums stay in the first cache. */
const GROUP: u32 = 32;

/** Per coefficient and plane of the product, where the two sums lie that make it: two 16-bit offsets. */
export function prepareSliced<T>(): void {
  fillField();
  for (let coefficient: u32 = 0; coefficient < 256; coefficient++) {
    for (let plane: u32 = 0; plane < 8; plane++) {
      let chosen: u32 = 0;
      for (let bit: u32 = 0; bit < 8; bit++) chosen |= ((product(coefficient, 1 << bit) >> plane) & 1) << bit;
      const entry = TABLES + coefficient * 32 + plane * 4;
      store<u16>(entry, <u16>((chosen & 15) * sizeof<T>()));
      store<u16>(entry + 2, <u16>((16 + (chosen >> 4)) * sizeof<T>()));
    }
  }
}

/** As `combine` of the other kernel; reads and writes up to the next multiple of eight words. */
export function combineSliced<T>(k: u32, rows: u32, width: u32, inputStride: u32, outputStride: u32): void {
  const plain: u32 = startsPlain(k) ? 1 : 0;
  if (plain) addAll<T>(k, width, inputStride);
  if (rows == plain) return;
  for (let at: u32 = 0; at < width; at += 8 * <u32>sizeof<T>()) {
    for (let first: u32 = 0; first < k; first += GROUP) {
      const count = min(GROUP, k - first);
      for (let slot: u32 = 0; slot < count; slot++) {
        sumPlanes<T>(INPUT + (first + slot) * inputStride + at, SUMS + slot * 32 * sizeof<T>());
      }
      let coefficients = COEFFICIENTS + plain * k + first;
      for (let row = plain; row < rows; row++, coefficients += k) {
        addProducts<T>(coefficients, count, ROWS + row * 8 * sizeof<T>(), first == 0);
      }
    }
    for (let row = plain; row < rows; row++) {
      transpose<T>(ROWS + row * 8 * sizeof<T>(), OUTPUT + row * outputStride + at);
    }
  }
}

function addProducts<T>(coefficients: usize, count: u32, row: usize, isFirst: bool): void {
  let a = zero<T>(), b = a, c = a, d = a, e = a, f = a, g = a, h = a;
  if (!isFirst) {
    a = load<T>(row, 0 * sizeof<T>());
    b = load<T>(row, 1 * sizeof<T>());
    c = load<T>(row, 2 * sizeof<T>());
    d = load<T>(row, 3 * sizeof<T>());
    e = load<T>(row, 4 * sizeof<T>());
    f = load<T>(row, 5 * sizeof<T>());
    g = load<T>(row, 6 * sizeof<T>());
    h = load<T>(row, 7 * sizeof<T>());
  }
  const end = coefficients + count;
  let sums = SUMS;
  for (; coefficients < end; coefficients++, sums += 32 * sizeof<T>()) {
    const table = TABLES + ((<usize>load<u8>(coefficients)) << 5);
    a = xor<T>(a, xor<T>(load<T>(sums + load<u16>(table, 0)), load<T>(sums + load<u16>(table, 2))));
    b = xor<T>(b, xor<T>(load<T>(sums + load<u16>(table, 4)), load<T>(sums + load<u16>(table, 6))));
    c = xor<T>(c, xor<T>(load<T>(sums + load<u16>(table, 8)), load<T>(sums + load<u16>(table, 10))));
    d = xor<T>(d, xor<T>(load<T>(sums + load<u16>(table, 12)), load<T>(sums + load<u16>(table, 14))));
    e = xor<T>(e, xor<T>(load<T>(sums + load<u16>(table, 16)), load<T>(sums + load<u16>(table, 18))));
    f = xor<T>(f, xor<T>(load<T>(sums + load<u16>(table, 20)), load<T>(sums + load<u16>(table, 22))));
    g = xor<T>(g, xor<T>(load<T>(sums + load<u16>(table, 24)), load<T>(sums + load<u16>(table, 26))));
    h = xor<T>(h, xor<T>(load<T>(sums + load<u16>(table, 28)), load<T>(sums + load<u16>(table, 30))));
  }
  store<T>(row, a, 0 * sizeof<T>());
  store<T>(row, b, 1 * sizeof<T>());
  store<T>(row, c, 2 * sizeof<T>());
  store<T>(row, d, 3 * sizeof<T>());
  store<T>(row, e, 4 * sizeof<T>());
  store<T>(row, f, 5 * sizeof<T>());
  store<T>(row, g, 6 * sizeof<T>());
  store<T>(row, h, 7 * sizeof<T>());
}

/** Cuts eight words into planes and stores the 16 sums of the low four, then those of the high four. */
function sumPlanes<T>(from: usize, sums: usize): void {
  transpose<T>(from, ROWS - 8 * sizeof<T>());
  sumsOfFour<T>(ROWS - 8 * sizeof<T>(), sums);
  sumsOfFour<T>(ROWS - 4 * sizeof<T>(), sums + 16 * sizeof<T>());
}

function sumsOfFour<T>(planes: usize, sums: usize): void {
  const a = load<T>(planes, 0 * sizeof<T>()), b = load<T>(planes, 1 * sizeof<T>());
  const c = load<T>(planes, 2 * sizeof<T>()), d = load<T>(planes, 3 * sizeof<T>());
  const ab = xor<T>(a, b), cd = xor<T>(c, d);
  store<T>(sums, zero<T>(), 0 * sizeof<T>());
  store<T>(sums, a, 1 * sizeof<T>());
  store<T>(sums, b, 2 * sizeof<T>());
  store<T>(sums, ab, 3 * sizeof<T>());
  store<T>(sums, c, 4 * sizeof<T>());
  store<T>(sums, xor<T>(c, a), 5 * sizeof<T>());
  store<T>(sums, xor<T>(c, b), 6 * sizeof<T>());
  store<T>(sums, xor<T>(c, ab), 7 * sizeof<T>());
  store<T>(sums, d, 8 * sizeof<T>());
  store<T>(sums, xor<T>(d, a), 9 * sizeof<T>());
  store<T>(sums, xor<T>(d, b), 10 * sizeof<T>());
  store<T>(sums, xor<T>(d, ab), 11 * sizeof<T>());
  store<T>(sums, cd, 12 * sizeof<T>());
  store<T>(sums, xor<T>(cd, a), 13 * sizeof<T>());
  store<T>(sums, xor<T>(cd, b), 14 * sizeof<T>());
  store<T>(sums, xor<T>(cd, ab), 15 * sizeof<T>());
}

/** Eight words as eight planes and back: bit i of byte n in word w becomes bit w of byte n in word i. */
function transpose<T>(from: usize, to: usize): void {
  const fours = filled<T>(0x0f0f0f0f0f0f0f0f), twos = filled<T>(0x3333333333333333);
  const ones = filled<T>(0x5555555555555555);
  let a = load<T>(from, 0 * sizeof<T>()), b = load<T>(from, 1 * sizeof<T>());
  let c = load<T>(from, 2 * sizeof<T>()), d = load<T>(from, 3 * sizeof<T>());
  let e = load<T>(from, 4 * sizeof<T>()), f = load<T>(from, 5 * sizeof<T>());
  let g = load<T>(from, 6 * sizeof<T>()), h = load<T>(from, 7 * sizeof<T>());
  let t: T;
  t = and<T>(xor<T>(right<T>(a, 4), e), fours);
  e = xor<T>(e, t);
  a = xor<T>(a, left<T>(t, 4));
  t = and<T>(xor<T>(right<T>(b, 4), f), fours);
  f = xor<T>(f, t);
  b = xor<T>(b, left<T>(t, 4));
  t = and<T>(xor<T>(right<T>(c, 4), g), fours);
  g = xor<T>(g, t);
  c = xor<T>(c, left<T>(t, 4));
  t = and<T>(xor<T>(right<T>(d, 4), h), fours);
  h = xor<T>(h, t);
  d = xor<T>(d, left<T>(t, 4));
  t = and<T>(xor<T>(right<T>(a, 2), c), twos);
  c = xor<T>(c, t);
  a = xor<T>(a, left<T>(t, 2));
  t = and<T>(xor<T>(right<T>(b, 2), d), twos);
  d = xor<T>(d, t);
  b = xor<T>(b, left<T>(t, 2));
  t = and<T>(xor<T>(right<T>(e, 2), g), twos);
  g = xor<T>(g, t);
  e = xor<T>(e, left<T>(t, 2));
  t = and<T>(xor<T>(right<T>(f, 2), h), twos);
  h = xor<T>(h, t);
  f = xor<T>(f, left<T>(t, 2));
  t = and<T>(xor<T>(right<T>(a, 1), b), ones);
  b = xor<T>(b, t);
  a = xor<T>(a, left<T>(t, 1));
  t = and<T>(xor<T>(right<T>(c, 1), d), ones);
  d = xor<T>(d, t);
  c = xor<T>(c, left<T>(t, 1));
  t = and<T>(xor<T>(right<T>(e, 1), f), ones);
  f = xor<T>(f, t);
  e = xor<T>(e, left<T>(t, 1));
  t = and<T>(xor<T>(right<T>(g, 1), h), ones);
  h = xor<T>(h, t);
  g = xor<T>(g, left<T>(t, 1));
  store<T>(to, a, 0 * sizeof<T>());
  store<T>(to, b, 1 * sizeof<T>());
  store<T>(to, c, 2 * sizeof<T>());
  store<T>(to, d, 3 * sizeof<T>());
  store<T>(to, e, 4 * sizeof<T>());
  store<T>(to, f, 5 * sizeof<T>());
  store<T>(to, g, 6 * sizeof<T>());
  store<T>(to, h, 7 * sizeof<T>());
}

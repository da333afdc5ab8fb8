/**
 * The kernel that multiplies 16 bytes at once by looking up their low and their high halves (a byte shuffle), four rows
 * by 32 bytes at a time, so that each half is cut out once for four rows.
 */
import { fillField, product } from "./field";
import { COEFFICIENTS, INPUT, OUTPUT, TABLES } from "./memory";
import { addAll, startsPlain } from "./plainSum";

export { planRecovery, planRepair } from "./coefficients";
export { input, lost, output, slice, slots } from "./places";

/** Per coefficient its products with 0 … 15 and with 0, 16 … 240. */
export function prepare(): void {
  fillField();
  for (let coefficient: u32 = 0; coefficient < 256; coefficient++) {
    const table = TABLES + coefficient * 32;
    for (let half: u32 = 0; half < 16; half++) {
      store<u8>(table + half, <u8>product(coefficient, half));
      store<u8>(table + 16 + half, <u8>product(coefficient, half << 4));
    }
  }
}

/**
 * Writes `rows` sums of k input symbols, each times its coefficient. `width` is a multiple of 64; symbols lie
 * `inputStride` and rows `outputStride` bytes apart.
 */
export function combine(k: u32, rows: u32, width: u32, inputStride: u32, outputStride: u32): void {
  const single = rows & 3;
  let coefficients = COEFFICIENTS;
  let to = OUTPUT;
  for (let row: u32 = 0; row < single; row++) {
    if (row == 0 && startsPlain(k)) addAll<v128>(k, width, inputStride);
    else combineOne(k, width, inputStride, coefficients, to);
    coefficients += k;
    to += outputStride;
  }
  for (let row = single; row < rows; row += 4) {
    for (let at: u32 = 0; at < width; at += 32) {
      combineFour(k, INPUT + at, inputStride, coefficients, to + at, outputStride);
    }
    coefficients += k << 2;
    to += outputStride << 2;
  }
}

function combineOne(k: u32, width: u32, stride: u32, coefficients: usize, to: usize): void {
  const low = i8x16.splat(0x0f);
  for (let at: u32 = 0; at < width; at += 64) {
    let a = i8x16.splat(0), b = a, c = a, d = a;
    let from = INPUT + at;
    for (let slot: u32 = 0; slot < k; slot++, from += stride) {
      const table = tableOf(coefficients + slot);
      const tableLow = v128.load(table), tableHigh = v128.load(table, 16);
      a = addProduct(a, v128.load(from), tableLow, tableHigh, low);
      b = addProduct(b, v128.load(from, 16), tableLow, tableHigh, low);
      c = addProduct(c, v128.load(from, 32), tableLow, tableHigh, low);
      d = addProduct(d, v128.load(from, 48), tableLow, tableHigh, low);
    }
    v128.store(to + at, a);
    v128.store(to + at, b, 16);
    v128.store(to + at, c, 32);
    v128.store(to + at, d, 48);
  }
}

@inline
function addProduct(sum: v128, bytes: v128, tableLow: v128, tableHigh: v128, low: v128): v128 {
  return addHalves(sum, v128.and(bytes, low), i8x16.shr_u(bytes, 4), tableLow, tableHigh);
}

@inline
function addHalves(sum: v128, halfLow: v128, halfHigh: v128, tableLow: v128, tableHigh: v128): v128 {
  return v128.xor(sum, v128.xor(look(tableLow, halfLow), look(tableHigh, halfHigh)));
}

/** Indices are below 16, where the relaxed instruction is the strict one without its check. */
@inline
function look(table: v128, index: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return i8x16.relaxed_swizzle(table, index);
  else return i8x16.swizzle(table, index);
}

@inline
function tableOf(coefficient: usize): usize {
  return TABLES + ((<usize>load<u8>(coefficient)) << 5);
}

function combineFour(k: u32, from: usize, stride: u32, coefficients: usize, to: usize, toStride: u32): void {
  const low = i8x16.splat(0x0f);
  const second: usize = k, third: usize = k << 1, fourth: usize = k * 3;
  const end = coefficients + k;
  let a0 = i8x16.splat(0), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
  for (; coefficients < end; coefficients++, from += stride) {
    const a = v128.load(from), b = v128.load(from, 16);
    const aLow = v128.and(a, low), aHigh = i8x16.shr_u(a, 4), bLow = v128.and(b, low), bHigh = i8x16.shr_u(b, 4);
    let table = tableOf(coefficients);
    let tableLow = v128.load(table), tableHigh = v128.load(table, 16);
    a0 = addHalves(a0, aLow, aHigh, tableLow, tableHigh);
    b0 = addHalves(b0, bLow, bHigh, tableLow, tableHigh);
    table = tableOf(coefficients + second);
    tableLow = v128.load(table);
    tableHigh = v128.load(table, 16);
    a1 = addHalves(a1, aLow, aHigh, tableLow, tableHigh);
    b1 = addHalves(b1, bLow, bHigh, tableLow, tableHigh);
    table = tableOf(coefficients + third);
    tableLow = v128.load(table);
    tableHigh = v128.load(table, 16);
    a2 = addHalves(a2, aLow, aHigh, tableLow, tableHigh);
    b2 = addHalves(b2, bLow, bHigh, tableLow, tableHigh);
    table = tableOf(coefficients + fourth);
    tableLow = v128.load(table);
    tableHigh = v128.load(table, 16);
    a3 = addHalves(a3, aLow, aHigh, tableLow, tableHigh);
    b3 = addHalves(b3, bLow, bHigh, tableLow, tableHigh);
  }
  v128.store(to, a0);
  v128.store(to, b0, 16);
  to += toStride;
  v128.store(to, a1);
  v128.store(to, b1, 16);
  to += toStride;
  v128.store(to, a2);
  v128.store(to, b2, 16);
  to += toStride;
  v128.store(to, a3);
  v128.store(to, b3, 16);
}

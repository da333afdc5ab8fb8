/**
 * The erasure code written from its definition alone, slowly and without anything of the product: multiplication bit by
 * bit, inverses by trying, the generator matrix row by row, decoding by Gaussian elimination of the whole system.
 */
interface Symbol {
  esi: number;
  bytes: Uint8Array;
}

/** Coefficient of source symbol `column` in the encoding symbol `esi` of a block of k. */
export function coefficient(k: number, esi: number, column: number): number {
  if (esi < k) return esi === column ? 1 : 0;
  return multiply(k ^ column, invert(esi ^ column));
}

export function slowEncode(block: { k: number; symbolBytes: number; source: Uint8Array; esi: number }): Uint8Array {
  const { k, symbolBytes, source, esi } = block;
  const symbol = new Uint8Array(symbolBytes);
  for (let column = 0; column < k; column++) {
    addTo(symbol, source.subarray(column * symbolBytes, (column + 1) * symbolBytes), coefficient(k, esi, column));
  }
  return symbol;
}

/** The block from exactly k symbols; undefined when their rows do not determine it. */
export function slowDecode(block: { k: number; symbols: readonly Symbol[] }): Uint8Array | undefined {
  const { k, symbols } = block;
  const rows = symbols.map(({ esi, bytes }) => ({
    left: Uint8Array.from({ length: k }, (_, column) => coefficient(k, esi, column)),
    right: bytes.slice(),
  }));
  for (let column = 0; column < k; column++) {
    const pivot = rows.findIndex(({ left }, index) => index >= column && left[column] !== 0);
    const [row, swapped] = [rows[pivot], rows[column]];
    if (row === undefined || swapped === undefined) return undefined;
    [rows[column], rows[pivot]] = [row, swapped];
    const scale = invert(row.left[column] ?? 0);
    for (const side of [row.left, row.right]) side.forEach((value, index) => (side[index] = multiply(value, scale)));
    for (const other of rows) {
      if (other === row) continue;
      const factor = other.left[column] ?? 0;
      addTo(other.left, row.left, factor);
      addTo(other.right, row.right, factor);
    }
  }
  return Uint8Array.from(rows.flatMap(({ right }) => [...right]));
}

function addTo(sum: Uint8Array, bytes: Uint8Array, factor: number): void {
  if (factor !== 0) bytes.forEach((value, index) => (sum[index] = (sum[index] ?? 0) ^ multiply(value, factor)));
}

/** Product of two polynomials over GF(2), modulo x⁸ + x⁴ + x³ + x² + 1. */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 0; bit < 8; bit++) if ((b >> bit) & 1) product ^= a << bit;
  for (let bit = 14; bit >= 8; bit--) if ((product >> bit) & 1) product ^= 0x11d << (bit - 8);
  return product;
}

function invert(a: number): number {
  for (let b = 1; b < 256; b++) if (multiply(a, b) === 1) return b;
  throw new Error("0 has no inverse");
}

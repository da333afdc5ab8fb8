/** Middle of a list of whole numbers; of an even count the lower one, so that it is a value that occurred. */
export function medianOf(values: readonly bigint[]): bigint | undefined {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted[Math.floor((sorted.length - 1) / 2)];
}

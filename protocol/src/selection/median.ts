/** The middle of a few numbers, of an even count the lower one of the two: contracts/libraries/Median.sol. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  if (middle === undefined) throw new RangeError("nothing has no middle");
  return middle;
}

/** Rounds for a result document: more digits than this would be noise, and would differ between machines. */
export function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** One line of the table: a median with its range, beside its peers and its target. */
import { median } from "@ngpu/protocol/selection/median";

export interface Row {
  readonly name: string;
  readonly conditions: string;
  readonly unit: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly n: number;
  /** What the same takes elsewhere, in the same run; `isLowerBound` where it was cut. */
  readonly peer?: { readonly name: string; readonly value: number; readonly min: number; readonly max: number; readonly n: number; readonly isLowerBound: boolean };
  /** How many times the peer's value. */
  readonly ratio?: number;
  readonly target?: string;
  readonly isMet?: boolean;
}

export interface Measured {
  readonly values: readonly number[];
  /** Some were cut at the limit, which stands for them. */
  readonly isCut: boolean;
}

export interface Target {
  readonly text: string;
  isMet(row: { readonly value: number; readonly ratio: number | undefined }): boolean;
}

export const atLeast = (bound: number, what: "value" | "ratio" = "value"): Target => ({
  text: `${what} ≥ ${bound}`,
  isMet: (row) => (row[what] ?? -Infinity) >= bound,
});
export const atMost = (bound: number): Target => ({ text: `value ≤ ${bound}`, isMet: ({ value }) => value <= bound });
export const within = (low: number, high: number): Target => ({
  text: `${low} to ${high}`,
  isMet: ({ value }) => value >= low && value <= high,
});

export function rowOf(options: {
  readonly name: string;
  readonly conditions: string;
  readonly unit: string;
  readonly values: readonly number[];
  readonly peer?: { readonly name: string; readonly measured: Measured };
  readonly target?: Target;
}): Row {
  const { name, conditions, unit, values, peer, target } = options;
  const value = rounded(median(values));
  const other = peer === undefined ? undefined : { name: peer.name, ...spread(peer.measured.values), isLowerBound: peer.measured.isCut };
  const ratio = other === undefined ? undefined : rounded(median(peer?.measured.values ?? []) / median(values));
  const base = { name, conditions, unit, ...spread(values) };
  return {
    ...base,
    ...(other && { peer: other }),
    ...(ratio !== undefined && { ratio }),
    ...(target && { target: target.text, isMet: target.isMet({ value, ratio }) }),
  };
}

function spread(values: readonly number[]): { value: number; min: number; max: number; n: number } {
  const [value, min, max] = [median(values), Math.min(...values), Math.max(...values)].map(rounded) as [number, number, number];
  return { value, min, max, n: values.length };
}

/** Three figures are what such measurements can tell. */
function rounded(value: number): number {
  return Number(value.toPrecision(3));
}

/**
 * P(fewer than `needed` of n symbols arrive) for n = needed, needed + 1, … `most`, each lost on its own with
 * probability `loss`. P(n + 1) = P(n) − P(exactly needed − 1 of n arrive) × (1 − loss).
 */
export interface FailureOptions {
  readonly needed: number;
  readonly loss: number;
  readonly most: number;
}

/** Entry i is for n = needed + i. */
export function failures({ needed, loss, most }: FailureOptions): number[] {
  const arrives = 1 - loss;
  const table: number[] = [];
  let failure = 1 - arrives ** needed;
  let oneShort = needed * arrives ** (needed - 1) * loss;
  for (let n = needed; n <= most; n += 1) {
    table.push(Math.max(0, failure));
    failure -= oneShort * arrives;
    oneShort *= ((n + 1) / (n + 2 - needed)) * loss;
  }
  return table;
}

/** The smallest n of which `needed` arrive but for the given probability; `most` where none does. */
export function totalFor({ failure, ...options }: FailureOptions & { readonly failure: number }): number {
  const index = failures(options).findIndex((probability) => probability <= failure);
  return index === -1 ? options.most : options.needed + index;
}

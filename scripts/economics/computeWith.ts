/**
 * Parameters of which some are absent: what needs only those that are there is computed, the rest says what it lacks.
 */
import type { ParameterName, Parameters } from "./parameters.ts";
import { catalogue } from "./parameters.ts";

/** `compute(parameters)`, or a line that names the contract without which it cannot be computed. */
export function computeWith(values: Partial<Parameters>, compute: (parameters: Parameters) => string): string {
  let missing: ParameterName | undefined;
  const parameters = new Proxy(values, {
    get: (target, name: ParameterName) => {
      if (target[name] === undefined) missing ??= name;
      return target[name] ?? 1n;
    },
  }) as Parameters;
  const text = compute(parameters);
  return missing === undefined ? text : `*Not computed: ${whereOf(missing)} is not there.*`;
}

/** The source that a parameter comes with. */
export function whereOf(name: ParameterName): string {
  const place = catalogue[name];
  return place.from === "assumption" ? name : `\`${place.file}\``;
}

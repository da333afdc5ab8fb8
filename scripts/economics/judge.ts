/** Reckons an attack for every kind of node and keeps the case that is best for the attacker. */
import type { Attack, NodeCase, Reckoning } from "./attack.ts";
import type { ParameterName, Parameters } from "./parameters.ts";

/** pays: gain > loss. even: nothing is gained. loses: gain < loss. */
export type Verdict = "pays" | "even" | "loses";

export interface Row extends Reckoning {
  readonly attack: Attack;
  readonly verdict: Verdict;
  /** The kind of node that suits the attacker best. */
  readonly node: NodeCase;
  /** What the figures were made of. */
  readonly used: readonly ParameterName[];
}

/** A row that cannot be reckoned, because a contract is not there. */
export interface UnjudgedRow {
  readonly attack: Attack;
  readonly missing: ParameterName;
}

export function judge(attack: Attack, values: Partial<Parameters>): Row | UnjudgedRow {
  const used = new Set<ParameterName>();
  let missing: ParameterName | undefined;
  const parameters = new Proxy(values, {
    get: (target, name: ParameterName) => {
      used.add(name);
      if (target[name] === undefined) missing ??= name;
      // A stand-in that lets the reckoning end; its figures are thrown away.
      return target[name] ?? 1n;
    },
  }) as Parameters;
  const reckoned = nodeCases(values).map((node) => ({ node, ...attack.reckon(parameters, node) }));
  if (missing !== undefined) return { attack, missing };
  const worst = reckoned.reduce((a, b) => (suitsBetter(b, a) ? b : a));
  return { attack, ...worst, verdict: verdictOf(worst), used: [...used] };
}

/** Each class at its least stake, and the largest node whose stake counts in full; those of which all is known. */
export function nodeCases(values: Partial<Parameters>): NodeCase[] {
  const cases: readonly [string, ParameterName, ParameterName][] = [
    ["cpu", "cpuPowerCu", "cpuStakeWei"],
    ["gpu", "gpuPowerCu", "gpuStakeWei"],
    ["datacenter-gpu", "datacenterPowerCu", "datacenterStakeWei"],
    ["largest", "datacenterPowerCu", "maxStakeWei"],
  ];
  return cases.flatMap(([name, power, stake]) => {
    const [powerCu, stakeWei] = [values[power], values[stake]];
    return powerCu === undefined || stakeWei === undefined ? [] : [{ name, powerCu, stakeWei }];
  });
}

function verdictOf({ gainUsd6, lossUsd6 }: Reckoning): Verdict {
  if (gainUsd6 > lossUsd6) return "pays";
  return gainUsd6 < lossUsd6 ? "loses" : "even";
}

/** By gain ÷ loss; where that is the same, by what is left over. */
function suitsBetter(a: Reckoning, b: Reckoning): boolean {
  const [left, right] = [a.gainUsd6 * b.lossUsd6, b.gainUsd6 * a.lossUsd6];
  return left === right ? a.gainUsd6 - a.lossUsd6 > b.gainUsd6 - b.lossUsd6 : left > right;
}

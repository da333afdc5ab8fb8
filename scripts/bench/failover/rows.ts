/** The trials of each kind of fault as the rows that every benchmark prints. */
import type { Trial } from "./trial.ts";

export interface Row {
  name: string;
  value: number;
  unit: string;
  min: number;
  max: number;
  n: number;
}

export function rowsOf({ taken, repeated }: { taken: ReadonlyMap<string, readonly Trial[]>; repeated: number }): Row[] {
  const all = [...taken.values()].flat();
  const timed = [...taken].flatMap(([kind, trials]) => {
    const added = trials.flatMap(({ addedMs }) => addedMs ?? []);
    const result = trials.flatMap(({ resultMs }) => resultMs ?? []);
    return [
      quantileOf(`${kind}_p50_ms`, added, 0.5),
      quantileOf(`${kind}_p99_ms`, added, 0.99),
      quantileOf(`${kind}_result_p50_ms`, result, 0.5),
    ];
  });
  return [
    ...timed,
    count("lost", all.length, all.filter(({ lost }) => lost).length),
    count("paid_twice", all.length, all.filter(({ paidTwice }) => paidTwice).length),
    count("repeated", all.length + repeated, repeated),
  ];
}

/** Nearest rank: the smallest value that so large a share of all does not exceed. */
function quantileOf(name: string, valuesMs: readonly number[], share: number): Row {
  const sorted = valuesMs.map((ms) => Math.round(ms * 10) / 10).sort((a, b) => a - b);
  const value = sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
  return { name, value, unit: "ms", min: sorted[0] ?? value, max: sorted.at(-1) ?? value, n: sorted.length };
}

function count(name: string, n: number, value: number): Row {
  return { name, value, unit: "tasks", min: value, max: value, n };
}

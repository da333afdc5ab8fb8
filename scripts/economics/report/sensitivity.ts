/** Which rows turn when the stake token or the chain's coin is worth less than assumed. */
import { attackList } from "../attackList.ts";
import { judge } from "../judge.ts";
import { markdownTable } from "../markdownTable.ts";
import type { ParameterName, Parameters } from "../parameters.ts";

const falls: readonly { readonly name: ParameterName; readonly text: string }[] = [
  { name: "ngpuUsd8", text: "the stake token" },
  { name: "coinUsd6", text: "the chain's coin" },
];
const divisors = [2n, 4n, 10n];

/** `values` may lack parameters; a row that needs them turns nowhere. */
export function sensitivityTable(values: Partial<Parameters>, parameters: Parameters): string {
  const before = new Set(paying(values));
  const rows = falls.flatMap(({ name, text }) =>
    divisors.map((divisor) => {
      const turned = paying({ ...values, [name]: parameters[name] / divisor }).filter((row) => !before.has(row));
      return [`${text} at 1/${divisor}`, turned.length === 0 ? "none" : turned.join(", ")];
    }),
  );
  return markdownTable(["If", "Rows that pay as well"], rows);
}

function paying(values: Partial<Parameters>): string[] {
  return attackList.flatMap((attack, index) => {
    const row = judge(attack, values);
    return "missing" in row || row.verdict !== "pays" ? [] : [`${index + 1} (${attack.id})`];
  });
}

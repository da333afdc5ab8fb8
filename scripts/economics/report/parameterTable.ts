/** Parameters with their values and where each is, in the order of the catalogue. */
import { inUnit } from "../format.ts";
import { markdownTable } from "../markdownTable.ts";
import { catalogue, type ParameterName, type ParameterPlace, type Parameters } from "../parameters.ts";

export function parameterTable(values: Partial<Parameters>, reasons: Partial<Record<ParameterName, string>>): string {
  const names = Object.keys(reasons) as ParameterName[];
  const rows = names.map((name) => [
    `\`${name}\``,
    valueOf(values, name),
    reasons[name] ?? "",
    placeOf(catalogue[name]),
  ]);
  return markdownTable(["Parameter", "Value", "Reason", "Where"], rows);
}

export function assumptionList(): string {
  return Object.entries(catalogue)
    .flatMap(([name, place]) => (place.from === "assumption" ? [`- \`${name}\`: ${place.why}.`] : []))
    .join("\n");
}

function valueOf(values: Partial<Parameters>, name: ParameterName): string {
  const value = values[name];
  return value === undefined ? "*absent*" : inUnit(value, catalogue[name].unit);
}

function placeOf(place: ParameterPlace): string {
  switch (place.from) {
    case "constant":
      return `\`${place.name}\` in \`${place.file}\``;
    case "deployment":
    case "local deployment":
      return `${place.from}, \`${place.name}\``;
    case "setting":
      return `default of \`${place.name}\``;
    case "mention":
      return `\`${place.file}\``;
    case "assumption":
      return "assumed";
  }
}

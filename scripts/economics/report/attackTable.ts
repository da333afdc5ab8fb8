/** The table attacker × gain × loss, and under it what each row was computed from. */
import type { Attack } from "../attack.ts";
import { whereOf } from "../computeWith.ts";
import { decimal, inUnit } from "../format.ts";
import type { Row, UnjudgedRow } from "../judge.ts";
import { markdownTable } from "../markdownTable.ts";
import { openRows } from "../openRows.ts";
import { catalogue, type ParameterName, type Parameters } from "../parameters.ts";

/** What nearly every row is made of; said once. */
const everywhere: readonly ParameterName[] = [
  "priceUsd6PerGcums",
  "cumsPerPrice",
  "maxDeadlineS",
  "capNumerator",
  "capDenominator",
  "ngpuUsd8",
  "coinUsd6",
];

export function attackTable(rows: readonly (Row | UnjudgedRow)[]): string {
  const cells = rows.map((row, index) => {
    const who = [`${index + 1}`, row.attack.attacker, row.attack.act];
    if ("missing" in row) return [...who, "", "", "", `not judged: ${whereOf(row.missing)} is not there`];
    return [...who, row.node.name, usd(row.gainUsd6), usd(row.lossUsd6), verdictText(row)];
  });
  return markdownTable(["", "Attacker", "Act", "Node", "Gains at most", "Loses at least", "Verdict"], cells);
}

export function attackDetails(rows: readonly (Row | UnjudgedRow)[], values: Partial<Parameters>): string {
  const shared = `In all rows: ${everywhere.map((name) => figure(name, values)).join(", ")}.`;
  const details = rows
    .map((row, index) => {
      const { attack } = row;
      const used = "missing" in row ? [] : row.used.filter((name) => !everywhere.includes(name));
      return [
        `**${index + 1}. ${sentence(`${attack.attacker}: ${attack.act}`)}**`,
        `- gain: ${attack.gain}`,
        `- loss: ${attack.loss}`,
        `- ${attack.paysWhen}`,
        ...(used.length === 0 ? [] : [`- from: ${used.map((name) => figure(name, values)).join(", ")}`]),
      ].join("\n");
    });
  return [shared, ...details].join("\n\n");
}

/** What pays, why it stands, and the change that stops it. */
export function openList(rows: readonly (Row | UnjudgedRow)[], values: Partial<Parameters>): string {
  const open = rows.flatMap((row, index) => ("missing" in row || row.verdict !== "pays" ? [] : [{ row, index }]));
  if (open.length === 0) return "None: no row pays.";
  return open
    .map(({ row, index }) => {
      const { id, attacker, act, remedy } = row.attack;
      const fix = remedy === undefined ? "no change known" : `${remedy.text} (${changeOf(remedy.change, values)})`;
      const reason = openRows.get(id);
      const why = reason === undefined ? "" : ` Open: ${reason}.`;
      return `- Row ${index + 1}, ${attacker}: ${act}.${why} Stopped by: ${fix}.`;
    })
    .join("\n");
}

function changeOf(change: NonNullable<Attack["remedy"]>["change"], values: Partial<Parameters>): string {
  return (Object.entries(change) as [ParameterName, bigint][])
    .map(([name, value]) => `${figure(name, values)} → ${inUnit(value, catalogue[name].unit)}`)
    .join("; ");
}

function figure(name: ParameterName, values: Partial<Parameters>): string {
  const value = values[name];
  return `\`${name}\` ${value === undefined ? "absent" : inUnit(value, catalogue[name].unit)}`;
}

function verdictText({ verdict, gainUsd6, lossUsd6 }: Row): string {
  if (verdict === "pays") return "**OPEN: pays**";
  if (verdict === "even" || gainUsd6 === 0n) return verdict === "even" ? "gains nothing" : "loses";
  return `loses, ${decimal((lossUsd6 * 10n) / gainUsd6, 1)} : 1`;
}

function usd(amountUsd6: bigint): string {
  return inUnit(amountUsd6, "usd6");
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * Writes the computed parts of docs/ECONOMICS.md: who earns, the examples, and what every attack gains and loses with
 * the parameters in the sources. `--check` writes nothing and fails if they are stale. Either way it fails if a row
 * pays that is not a known defect. `--root FOLDER`, any number of times: read contracts there; the first that has one
 * counts.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { models } from "@ngpu/protocol/generated/models";
import { workCumsOf } from "@ngpu/protocol/work";
import { attackList } from "../economics/attackList.ts";
import { defects } from "../economics/defects.ts";
import { judge } from "../economics/judge.ts";
import { openRows } from "../economics/openRows.ts";
import { readParameters } from "../economics/parameters.ts";
import { renderEconomics } from "../economics/renderEconomics.ts";
import { paths } from "../stack/paths.ts";

/** A page of print took so long on the reference machine (scripts/generate/manifests.ts). */
const PAGE_MS = 644n;

const { values: options } = parseArgs({
  options: { check: { type: "boolean", default: false }, root: { type: "string", multiple: true } },
});
const name = "docs/ECONOMICS.md";
const file = join(paths.root, name);

const { values, absent } = await readParameters((options.root ?? [paths.root]).map((root) => resolve(root)));
for (const source of new Set(absent.values())) console.error(`absent: ${source}; what needs it is not computed`);
const rows = attackList.map((attack) => judge(attack, values));
const found = defects(rows, openRows);
for (const line of found) console.error(line);

const document = readFileSync(file, "utf8");
const text = renderEconomics({ document, values, rows, page: { workCums: workOfAPage(), durationMs: PAGE_MS } });
const isStale = text !== document;
if (options.check) {
  if (isStale) console.error(`stale: ${name} (run: node scripts/generate/economics.ts)`);
} else {
  if (isStale) writeFileSync(file, text);
  console.log(`${name}: ${isStale ? "written" : "up to date"}`);
}
process.exitCode = found.length > 0 || (options.check && isStale) ? 1 : 0;

/** The text model with its default dimensions. */
function workOfAPage(): bigint {
  const model = models.find(({ manifest }) => manifest.task === "image-to-text");
  if (model === undefined) throw new Error("no model reads text");
  const { manifest } = model;
  const dimensions = Object.fromEntries(Object.entries(manifest.dimensions).map(([key, spec]) => [key, spec.default]));
  return workCumsOf({ manifest, dimensions });
}

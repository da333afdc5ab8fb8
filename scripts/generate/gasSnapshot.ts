/**
 * Writes contracts/gas.json: the gas of every path that `npm run bench:gas` measures. `--check` measures again and fails
 * if a path costs over 2 % more than committed, or is new or gone; a path that became cheaper is only mentioned.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { paths } from "../stack/paths.ts";

interface Row {
  readonly name: string;
  readonly value: number;
}

/** In thousandths, so that the comparison stays in integers. */
const TOLERANCE_PERMILLE = 20;
const file = join(paths.root, "contracts/gas.json");

const measured = measure();
if (!process.argv.includes("--check")) writeFileSync(file, `${JSON.stringify(measured, null, 2)}\n`);
else compare(JSON.parse(readFileSync(file, "utf8")) as Record<string, number>);

function measure(): Record<string, number> {
  const bench = join(paths.root, "scripts/bench/gas.ts");
  const printed = execFileSync(process.execPath, [bench, "--json"], { encoding: "utf8", cwd: paths.root });
  const { rows } = JSON.parse(printed) as { rows: Row[] };
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

function compare(committed: Record<string, number>): void {
  for (const name of new Set([...Object.keys(committed), ...Object.keys(measured)])) {
    const [before, now] = [committed[name], measured[name]];
    if (before === undefined || now === undefined) fail(`${name}: committed ${before ?? "nothing"}, measured ${now ?? "nothing"}`);
    else if (now * 1_000 > before * (1_000 + TOLERANCE_PERMILLE)) fail(`${name}: ${before} → ${now} gas`);
    else if (now < before) process.stderr.write(`${name} became cheaper: ${before} → ${now} gas\n`);
  }
}

function fail(line: string): void {
  process.stderr.write(`${line} (if it must be so: node scripts/generate/gasSnapshot.ts)\n`);
  process.exitCode = 1;
}

/**
 * Writes the generated parts of docs/CONTRACTS.md: the table of parameters, and the reference of every contract from
 * its NatSpec as the compiler reads it. `--check` writes nothing and fails if they are stale. `--root FOLDER`, any
 * number of times: read parameters there; `--contracts FOLDER`: compile that folder's contracts.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { readContracts } from "../contractDocs/readContracts.ts";
import { parameterReasons } from "../contractDocs/parameterReasons.ts";
import { renderReference } from "../contractDocs/renderReference.ts";
import { withBlocks } from "../economics/blocks.ts";
import { readParameters } from "../economics/parameters.ts";
import { parameterTable } from "../economics/report/parameterTable.ts";
import { paths } from "../stack/paths.ts";

const { values: options } = parseArgs({
  options: {
    check: { type: "boolean", default: false },
    root: { type: "string", multiple: true },
    contracts: { type: "string", default: paths.root },
  },
});
const name = "docs/CONTRACTS.md";
const file = join(paths.root, name);

const { values, absent } = await readParameters((options.root ?? [paths.root]).map((root) => resolve(root)));
for (const source of new Set(absent.values())) console.error(`absent: ${source}; its parameters are not in the table`);
const document = readFileSync(file, "utf8");
const text = withBlocks(document, {
  parameters: parameterTable(values, parameterReasons),
  reference: renderReference(readContracts(resolve(options.contracts))),
});
const isStale = text !== document;
if (options.check) {
  if (isStale) console.error(`stale: ${name} (run: node scripts/generate/contractDocs.ts)`);
  process.exitCode = isStale ? 1 : 0;
} else {
  if (isStale) writeFileSync(file, text);
  console.log(`${name}: ${isStale ? "written" : "up to date"}`);
}

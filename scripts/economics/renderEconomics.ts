/** The generated parts of docs/ECONOMICS.md. */
import { withBlocks } from "./blocks.ts";
import { computeWith } from "./computeWith.ts";
import { nodeCases, type Row, type UnjudgedRow } from "./judge.ts";
import type { Parameters } from "./parameters.ts";
import { attackDetails, attackTable, openList } from "./report/attackTable.ts";
import { directExample, maturingLines, sessionExample, slashExample, type Page } from "./report/example.ts";
import { flowTable, hourLine } from "./report/flowTable.ts";
import { garbageTable } from "./report/garbageTable.ts";
import { overbillingTable } from "./report/overbillingTable.ts";
import { assumptionList } from "./report/parameterTable.ts";
import { sensitivityTable } from "./report/sensitivity.ts";

export function renderEconomics(request: {
  readonly document: string;
  readonly values: Partial<Parameters>;
  readonly rows: readonly (Row | UnjudgedRow)[];
  readonly page: Page;
}): string {
  const { document, values, rows, page } = request;
  return withBlocks(document, {
    hour: computeWith(values, hourLine),
    flows: computeWith(values, flowTable),
    direct: computeWith(values, (parameters) => directExample(parameters, page)),
    maturing: computeWith(values, (parameters) => maturingLines(parameters, page)),
    session: computeWith(values, (parameters) => sessionExample(parameters, page)),
    slash: computeWith(values, (parameters) => slashExample(parameters, page)),
    assumptions: assumptionList(),
    attacks: attackTable(rows),
    open: openList(rows, values),
    garbage: computeWith(values, (parameters) => garbageTable(parameters, nodeCases(values))),
    overbilling: computeWith(values, (parameters) => overbillingTable(parameters, nodeCases(values))),
    sensitivity: computeWith(values, (parameters) => sensitivityTable(values, parameters)),
    details: attackDetails(rows, values),
  });
}

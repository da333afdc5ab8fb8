/** What axe-core finds serious or critical on a page, outside the dialog that RainbowKit draws. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

// Evaluated by the debugger: the pages' own policy lets no foreign script in.
const script = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

export async function seriousViolations(page: Page): Promise<string[]> {
  await page.evaluate(script);
  const results = await page.evaluate(
    (runOnly) =>
      (window as unknown as { axe: typeof import("axe-core") }).axe.run(
        { exclude: [["[data-rk] [role=dialog]"]] },
        { runOnly },
      ) as Promise<AxeResults>,
    rules,
  );
  return results.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
}

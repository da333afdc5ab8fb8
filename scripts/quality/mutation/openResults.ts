/**
 * What earlier runs found, kept in a file of one line a mutant, so that a run may be interrupted and a test be added
 * without trying everything again. Who was killed stays dead while its source is the same; whoever survived is tried
 * again once one of its tests has changed.
 */
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, globSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { paths } from "../../stack/paths.ts";
import type { Trial, TrialResult } from "./tryMutants.ts";

interface Entry {
  readonly key: string;
  readonly tests: string;
  readonly verdict: TrialResult["verdict"];
}

export interface Results {
  of(trial: Trial): TrialResult | undefined;
  add(trial: Trial, result: TrialResult): void;
}

export function openResults({ fresh }: { fresh: boolean }): Results {
  const folder = join(paths.state, "mutation");
  const file = join(folder, "results.jsonl");
  mkdirSync(folder, { recursive: true });
  if (fresh) rmSync(file, { force: true });
  const entries = new Map<string, Entry>();
  for (const line of existsSync(file) ? readFileSync(file, "utf8").split("\n") : []) {
    if (!line.endsWith("}")) continue; // Empty, or cut off in the middle.
    const entry = JSON.parse(line) as Entry;
    entries.set(entry.key, entry);
  }
  const digests = new Map<string, string>();
  const digestOf = (files: readonly string[]): string => {
    const name = files.join("\n");
    const known = digests.get(name) ?? hash(files.map((each) => readFileSync(join(paths.root, each), "utf8")));
    digests.set(name, known);
    return known;
  };
  const support = globSync("test/contracts/support/*.ts", { cwd: paths.root }).sort();
  const keyOf = ({ mutant: { id, source, before, after } }: Trial): string =>
    hash([id, before, after, digestOf([source])]);
  const testsOf = ({ target: { tests } }: Trial): string =>
    digestOf([...tests.inOneWorld, ...tests.inTheirOwn, ...support]);

  return {
    of(trial) {
      const entry = entries.get(keyOf(trial));
      if (entry === undefined) return undefined;
      const holds = entry.verdict !== "survived" || entry.tests === testsOf(trial);
      return holds ? { id: trial.mutant.id, verdict: entry.verdict } : undefined;
    },
    add(trial, { verdict }) {
      const entry: Entry = { key: keyOf(trial), tests: testsOf(trial), verdict };
      appendFileSync(file, `${JSON.stringify(entry)}\n`);
    },
  };
}

function hash(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}

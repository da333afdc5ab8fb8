/**
 * `npm run mutate -- [--json] [--target NAME] [--only PATH] [--limit N] [--seed N] [--workers N] [--fresh]`: changes
 * one small thing of a money contract at a time and sees whether the tests notice. `score` = killed ÷ (mutants − known
 * survivors). `--only` takes one source, a `--limit` a random sample, drawn by `--seed`, for a quick look. What earlier
 * runs know of a mutant holds as long as its source and its tests stay; `--fresh` tries all again.
 */
import { fork, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compileSolidity } from "../quality/compileSolidity.ts";
import { findMutants } from "../quality/mutation/findMutants.ts";
import { openResults } from "../quality/mutation/openResults.ts";
import { knownSurvivors } from "../quality/mutation/survivors.ts";
import { mutationTargets, type MutationTarget } from "../quality/mutation/targets.ts";
import type { Trial, TrialResult } from "../quality/mutation/tryMutants.ts";
import { paths } from "../stack/paths.ts";
import { startBuilds } from "../stack/prepare.ts";
import { createProgress } from "../stack/progress.ts";
import { StackError } from "../stack/stackError.ts";
import { runTarget } from "./runTarget.ts";

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    target: { type: "string", multiple: true, default: [] },
    only: { type: "string", multiple: true, default: [] },
    limit: { type: "string" },
    seed: { type: "string", default: "1" },
    workers: { type: "string", default: "2" },
    fresh: { type: "boolean", default: false },
  },
});

await runTarget(async () => {
  const every = trialsOf(mutationTargets);
  requireKnown(every);
  await startBuilds({ dapp: false, subgraph: false, everyContract: true, progress: createProgress() }).contracts;
  const trials = sample(every.filter(isWanted), Number(values.limit ?? Number.POSITIVE_INFINITY), Number(values.seed));
  if (trials.length === 0) throw new StackError("There is nothing to mutate.");
  const known = openResults({ fresh: values.fresh });
  const results = trials.flatMap((trial) => known.of(trial) ?? []);
  const left = trials.filter((trial) => known.of(trial) === undefined);
  results.push(...(await runAll(left, Number(values.workers), (trial, result) => known.add(trial, result))));
  report(trials, results);
});

/** A reason for a mutant that is gone may be taken for one about another. */
function requireKnown(every: readonly Trial[]): void {
  const existing = new Set(every.map(({ mutant }) => mutant.id));
  const gone = Object.keys(knownSurvivors).filter((id) => !existing.has(id));
  if (gone.length > 0) throw new StackError(`survivors.ts names mutants that do not exist: ${gone.join(", ")}`);
}

function isWanted({ target, mutant }: Trial): boolean {
  const isTarget = values.target.length === 0 || values.target.includes(target.name);
  return isTarget && (values.only.length === 0 || values.only.includes(mutant.source));
}

function trialsOf(targets: readonly MutationTarget[]): Trial[] {
  const sources = [...new Set(targets.flatMap((target) => target.sources))];
  const compiled = compileSolidity({ sources, outputSelection: { "*": { "": ["ast"] } } });
  return targets.flatMap((target) =>
    target.sources.flatMap((source) => {
      const ast = compiled.sources[source]?.ast;
      if (ast === undefined) throw new StackError(`${source} does not compile.`);
      const text = readFileSync(join(paths.root, source), "utf8");
      return findMutants(source, text, ast).map((mutant) => ({ target, mutant }));
    }),
  );
}

/** `limit` trials, drawn by a small linear congruential generator so that a seed always draws the same. */
function sample(trials: Trial[], limit: number, seed: number): Trial[] {
  if (trials.length <= limit) return trials;
  let state = seed >>> 0;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
  const rest = [...trials];
  return Array.from({ length: limit }, () => rest.splice(next(rest.length), 1)).flat();
}

async function runAll(
  trials: readonly Trial[],
  workers: number,
  keep: (trial: Trial, result: TrialResult) => void,
): Promise<TrialResult[]> {
  const queue = [...trials];
  const results: TrialResult[] = [];
  await Promise.all(Array.from({ length: Math.min(workers, queue.length) }, () => runWorker()));
  return results;

  async function runWorker(): Promise<void> {
    const child: ChildProcess = fork(join(import.meta.dirname, "../quality/mutation/tryMutants.ts"));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let trial: Trial | undefined;
    child.on("message", (message: "ready" | TrialResult) => {
      if (message !== "ready" && trial !== undefined) {
        results.push(message);
        keep(trial, message);
        if (!values.json) process.stdout.write(`${results.length}/${trials.length} ${message.verdict} ${message.id}\n`);
      }
      trial = queue.shift();
      if (trial === undefined) child.disconnect();
      else child.send(trial);
    });
    child.once("error", reject);
    child.once("exit", (code) => {
      if (code === 0) resolve();
      else reject(new StackError(`A worker ended with ${code}.`));
    });
    return promise;
  }
}

function report(trials: readonly Trial[], results: readonly TrialResult[]): void {
  const verdictOf = new Map(results.map(({ id, verdict }) => [id, verdict]));
  const alive = trials.filter(({ mutant }) => verdictOf.get(mutant.id) !== "stillborn").map(({ mutant }) => mutant);
  const survivors = alive.filter(({ id }) => verdictOf.get(id) === "survived");
  const known = survivors.filter(({ id }) => id in knownSurvivors);
  const killed = alive.length - survivors.length;
  const score = killed / Math.max(1, alive.length - known.length);
  const summary = {
    score: Number(score.toFixed(4)),
    mutants: alive.length,
    killed,
    stillborn: trials.length - alive.length,
    survivors: survivors.map(({ id, before, after }) => ({ id, before, after, reason: knownSurvivors[id] ?? null })),
  };
  if (values.json) process.stdout.write(`${JSON.stringify(summary)}\n`);
  else {
    for (const { id, before, after, reason } of summary.survivors) {
      const change = `${JSON.stringify(before)} → ${JSON.stringify(after)}`;
      console.log(`survived ${id}: ${change}${reason === null ? "" : ` (${reason})`}`);
    }
    console.log(`score ${summary.score}, ${killed} of ${alive.length} killed, ${known.length} known to be equal`);
  }
}

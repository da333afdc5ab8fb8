/**
 * Runs every suite, two at a time, one file of each, those that need no contract while the contracts compile. The last
 * line is `N passed, N failed`; a suite that runs no test, or not to its end, has failed. `npm test -- keeper e2e` runs the named suites alone.
 */
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { paths } from "../stack/paths.ts";
import { startBuilds } from "../stack/prepare.ts";
import { endLeftovers } from "../stack/process/record.ts";
import { createProgress, formatSeconds } from "../stack/progress.ts";
import { StackError } from "../stack/stackError.ts";
import { runTarget } from "./runTarget.ts";
import { requireChromium } from "./testing/chromium.ts";
import { filesOf, runSuite } from "./testing/runSuite.ts";
import { suites, type Suite } from "./testing/suites.ts";

const progress = createProgress();
const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => interrupted.abort());

let passed = 0;
let failed = 0;
await runTarget(async () => {
  const chosen = chooseSuites(process.argv.slice(2));
  await endLeftovers(progress);
  const stray = strayTests();
  if (stray.length > 0) throw new StackError(`In no suite, so nobody would run them: ${stray.join(", ")}`);
  const isWhole = chosen.some(({ name }) => name === "e2e");
  const contractTests = chosen.some(({ name }) => name === "solidity");
  const builds = startBuilds({ dapp: isWhole, subgraph: true, everyContract: true, contractTests, progress });
  // The compiler takes one core, far longer than the other builds take the second one.
  await Promise.all([builds.subgraph, ...(isWhole ? [builds.dapp] : [])]);
  const early = chosen.filter(({ isUncompiled }) => isUncompiled === true);
  const together = chosen.filter(({ isUncompiled, isAlone }) => isUncompiled !== true && isAlone !== true);
  const lane = async (queue: Suite[], env: Record<string, string>): Promise<void> => {
    for (let suite = queue.shift(); suite !== undefined; suite = queue.shift()) await run(suite, env);
  };
  const isRunEarly = lane(early, {});
  isRunEarly.catch(() => undefined);
  await builds.all.catch(async (error: unknown) => {
    interrupted.abort();
    await isRunEarly.catch(() => undefined);
    throw error;
  });
  const env: Record<string, string> = isWhole ? { NGPU_CHROMIUM: await requireChromium(progress) } : {};
  const after = isRunEarly.then(() => lane(together, env));
  await (availableParallelism() < 2 ? after : Promise.all([after, lane(together, env)]));
  for (const suite of chosen.filter(({ isAlone }) => isAlone === true)) await run(suite, env);
});
await endLeftovers(progress);
// Whatever stopped the run before a suite could fail is a failure too.
if (process.exitCode === 1 && failed === 0) failed = 1;
if (failed > 0 || passed === 0) process.exitCode = 1;
console.log(`${passed} passed, ${failed} failed`);

async function run(suite: Suite, env: Record<string, string>): Promise<void> {
  if (interrupted.signal.aborted) throw new StackError("interrupted");
  const outcome = await runSuite({ suite, env, signal: interrupted.signal });
  passed += outcome.passed;
  failed += outcome.failed;
  for (const text of outcome.failures) console.log(text.replace(/^/gm, "    "));
  const mark = outcome.failed > 0 ? "✗" : "✓";
  const where = outcome.failed > 0 ? ` (${outcome.logFile})` : "";
  const counts = `${outcome.passed} passed, ${outcome.failed} failed`;
  console.log(`${mark} ${suite.name}: ${counts}, ${formatSeconds(outcome.durationMs)}${where}`);
}

function chooseSuites(names: string[]): readonly Suite[] {
  if (names.length === 0) return suites;
  return names.map((name) => {
    const suite = suites.find((candidate) => candidate.name === name);
    if (!suite)
      throw new StackError(`There is no suite ${name}; there are ${suites.map((known) => known.name).join(", ")}.`);
    return suite;
  });
}

/** Test files that no suite runs. */
function strayTests(): string[] {
  const known = new Set(suites.flatMap(filesOf));
  const all = globSync("{app,client,contracts,keeper,node-agent,protocol,scripts,subgraph,test}/**/*.test.ts", {
    cwd: paths.root,
    exclude: ["**/node_modules/**", "**/.next/**"],
  });
  return all.filter((file) => !known.has(file));
}

/**
 * `npm run coverage -- [--json]`: lines and branches of `contracts/` (mocks and local stand-ins apart) that the tests
 * reach; fails below 98 %. Lines come from Hardhat, branches from a run of the same tests on sources with a probe at
 * every decision.
 */
import { spawnSync } from "node:child_process";
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { allContracts, compileSolidity } from "../quality/compileSolidity.ts";
import { createRoom, liftSizeLimit } from "../quality/createRoom.ts";
import { instrumentBranches, type Decision } from "../quality/branches/instrumentBranches.ts";
import { paths } from "../stack/paths.ts";
import { createProgress } from "../stack/progress.ts";
import { StackError } from "../stack/stackError.ts";
import { runTarget } from "./runTarget.ts";

const MINIMUM_PERCENT = 98;
const ignored = /^contracts\/(mocks|local|test|proofs|interfaces)\//;
const tests = globSync("test/contracts/**/*.test.ts", { cwd: paths.root }).sort();
const progress = createProgress();
const { values } = parseArgs({ options: { json: { type: "boolean", default: false } } });

await runTarget(async () => {
  const lines = await progress.step("lines", async () => lineCoverage());
  const branches = await progress.step("branches", async () => branchCoverage());
  const summary = { lines, branches };
  if (values.json) process.stdout.write(`${JSON.stringify(summary)}\n`);
  else {
    console.log(`lines ${lines.percent} % of ${lines.total}, branches ${branches.percent} % of ${branches.total}`);
    for (const place of [...lines.missed, ...branches.missed]) console.log(`  not reached: ${place}`);
  }
  if (lines.percent < MINIMUM_PERCENT || branches.percent < MINIMUM_PERCENT) process.exitCode = 1;
});

interface Coverage {
  readonly percent: number;
  readonly total: number;
  readonly missed: readonly string[];
}

function coverageOf(total: number, missed: readonly string[]): Coverage {
  return { percent: Number(((100 * (total - missed.length)) / Math.max(1, total)).toFixed(2)), total, missed };
}

/** In a room as well: what an instrumented build leaves behind must not be taken for the repository's own. */
function lineCoverage(): Coverage {
  const room = join(paths.state, "coverage-lines");
  createRoom(room, ["contracts"]);
  runTests([join(room, "node_modules/hardhat/dist/src/cli.js"), "test", "nodejs", "--coverage"], room);
  const report = readFileSync(join(room, "coverage/lcov.info"), "utf8");
  rmSync(room, { recursive: true, force: true });
  const missed: string[] = [];
  let total = 0;
  for (const section of report.split("end_of_record")) {
    const source = /^SF:(.*)$/m.exec(section)?.[1]?.replace(`${room}/`, "");
    if (source === undefined || ignored.test(source)) continue;
    for (const [, line = "", hits = ""] of section.matchAll(/^DA:(\d+),(\d+)/gm)) {
      total++;
      if (hits === "0") missed.push(`${source}:${line}`);
    }
  }
  return coverageOf(total, missed);
}

function branchCoverage(): Coverage {
  const room = join(paths.state, "coverage");
  const decisions = prepareRoom(room);
  run([join(room, "node_modules/hardhat/dist/src/cli.js"), "build", "--no-tests"], room);
  const output = runTests(["--test", "--test-reporter=tap", ...tests.map((file) => join(room, file))], room);
  const taken = new Set([...output.matchAll(/branch (\d+) (true|false)/g)].map(([, id, way]) => `${id} ${way}`));
  const ways = decisions.flatMap(({ id, source, line }) =>
    ["true", "false"].map((way) => ({ key: `${id} ${way}`, place: `${source}:${line} never ${way}` })),
  );
  rmSync(room, { recursive: true, force: true });
  return coverageOf(ways.length, ways.filter(({ key }) => !taken.has(key)).map(({ place }) => place));
}

/** A room with probes in every source that counts. */
function prepareRoom(room: string): Decision[] {
  createRoom(room, ["contracts"]);
  liftSizeLimit(room);
  const sources = allContracts().filter((source) => !ignored.test(source));
  const compiled = compileSolidity({ sources, outputSelection: { "*": { "": ["ast"] } } });
  const decisions: Decision[] = [];
  for (const source of sources) {
    const ast = compiled.sources[source]?.ast;
    if (ast === undefined) throw new StackError(`${source} does not compile.`);
    const done = instrumentBranches(source, readFileSync(join(paths.root, source), "utf8"), ast, decisions.length);
    writeFileSync(join(room, source), done.text);
    decisions.push(...done.decisions);
  }
  return decisions;
}

function run(args: string[], cwd: string): void {
  const { status, stdout, stderr } = start(args, cwd);
  if (status !== 0) throw new StackError(`${args.slice(0, 3).join(" ")} failed:\n${stdout.slice(-4_000)}${stderr.slice(-4_000)}`);
}

/** Tests of gas fail on instrumented code. Whether tests pass is the test run's business; here it counts what they reach. */
function runTests(args: string[], cwd: string): string {
  const { stdout, stderr } = start(args, cwd);
  if (!/(\d+ passing|^# pass [1-9])/m.test(stdout)) {
    throw new StackError(`${args.slice(0, 3).join(" ")} ran no test:\n${stdout.slice(-4_000)}${stderr.slice(-4_000)}`);
  }
  return stdout;
}

function start(args: string[], cwd: string) {
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  return spawnSync(process.execPath, args, { cwd, encoding: "utf8", maxBuffer: 2 ** 30, env });
}

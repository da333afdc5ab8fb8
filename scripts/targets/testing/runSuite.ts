/** Runs one suite in a process group of its own, within its time, and ends whatever it leaves behind. */
import { spawn } from "node:child_process";
import { closeSync, existsSync, globSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { dieWithStarter } from "../../stack/dieWithStarter.ts";
import { paths } from "../../stack/paths.ts";
import type { OutcomeLine } from "./outcomeReporter.ts";
import type { Suite } from "./suites.ts";

export interface SuiteOutcome {
  passed: number;
  failed: number;
  durationMs: number;
  /** What to show of the failures. */
  failures: string[];
  logFile: string;
}

const logs = join(paths.state, "logs");
const reporter = join(import.meta.dirname, "outcomeReporter.ts");

export function filesOf(suite: Suite): string[] {
  return globSync([...suite.files], { cwd: paths.root, exclude: ["**/node_modules/**", "**/.next/**"] }).sort();
}

export async function runSuite(options: {
  suite: Suite;
  env: Record<string, string>;
  signal: AbortSignal;
}): Promise<SuiteOutcome> {
  const { suite, env, signal } = options;
  const startedAt = performance.now();
  mkdirSync(logs, { recursive: true });
  const logFile = join(logs, `test-${suite.name}.log`);
  const outcomeFile = join(logs, `test-${suite.name}.jsonl`);
  rmSync(outcomeFile, { force: true });
  const files = filesOf(suite);
  if (files.length === 0) return failure(suite, "has no test file", { startedAt, logFile });

  const reporters = [
    ["spec", "stdout"],
    [reporter, outcomeFile],
  ].flatMap(([name, destination]) => [`--test-reporter=${name}`, `--test-reporter-destination=${destination}`]);
  // Without --test-force-exit: it ends a file before all of its results are written, and lost results count as nothing.
  const flags = ["--test", "--test-concurrency=1", ...reporters];
  const [program, ...args] = dieWithStarter([process.execPath, ...flags, ...files], "KILL");
  const log = openSync(logFile, "w");
  // Set inside of a test run; a run within one would report to that one instead of to us.
  const { NODE_TEST_CONTEXT: _outer, ...inherited } = process.env;
  const child = spawn(program, args, {
    cwd: paths.root,
    env: { ...inherited, ...env },
    detached: true,
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  const end = (): void => endGroup(child.pid);
  signal.addEventListener("abort", end);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    end();
  }, suite.timeoutS * 1_000);
  const code = await new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(null));
    child.once("exit", resolve);
  });
  clearTimeout(timer);
  signal.removeEventListener("abort", end);
  end();

  const lines = existsSync(outcomeFile) ? parse(readFileSync(outcomeFile, "utf8")) : [];
  const failures = lines.flatMap((line) =>
    line.kind === "failed" ? [`${line.name} (${line.file})\n${line.reason}`] : [],
  );
  const counts = lines.find((line) => line.kind === "counts");
  if (late || counts === undefined) {
    const why = late ? `did not end within ${suite.timeoutS} s` : `ended without a result (code ${String(code)})`;
    const told = [`${suite.name} ${why}; the last it said:\n${lastLines(logFile)}`, ...failures];
    return { ...failure(suite, why, { startedAt, logFile }), failures: told };
  }
  if (counts.passed + counts.failed === 0) return failure(suite, "ran no test", { startedAt, logFile });
  // A file that throws outside of its tests makes the run fail although every test that ran has passed.
  const failed = counts.failed === 0 && code !== 0 ? 1 : counts.failed;
  return { passed: counts.passed, failed, durationMs: performance.now() - startedAt, failures, logFile };
}

function failure(
  suite: Suite,
  why: string,
  { startedAt, logFile }: { startedAt: number; logFile: string },
): SuiteOutcome {
  return {
    passed: 0,
    failed: 1,
    durationMs: performance.now() - startedAt,
    failures: [`${suite.name} ${why}`],
    logFile,
  };
}

/** Enough to see which test it was at: a log of a machine that is gone cannot be read later. */
function lastLines(file: string): string {
  return readFileSync(file, "utf8").trimEnd().split("\n").slice(-15).join("\n");
}

function parse(text: string): OutcomeLine[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as OutcomeLine);
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nobody is left.
  }
}

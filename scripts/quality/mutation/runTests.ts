/** Runs test files one after the other in a trial room until one fails: the verdict on one mutant. */
import { spawn } from "node:child_process";
import { join } from "node:path";

export type Verdict = "killed" | "timeout" | "survived";

export async function runTests(root: string, files: readonly string[], timeoutMs: number): Promise<Verdict> {
  for (const file of files) {
    const verdict = await runFile(join(root, file), root, timeoutMs);
    if (verdict !== "survived") return verdict;
  }
  return "survived";
}

async function runFile(file: string, cwd: string, timeoutMs: number): Promise<Verdict> {
  const { promise, resolve, reject } = Promise.withResolvers<Verdict>();
  const env = { ...process.env, STEPS: "60", SEED: "1", NODE_TEST_CONTEXT: undefined };
  // A process group of its own, so that a trial that hangs ends with everything it started.
  const child = spawn(process.execPath, ["--test", file], { cwd, env, stdio: "ignore", detached: true });
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }, timeoutMs);
  child.once("error", reject);
  child.once("exit", (code) => {
    clearTimeout(timer);
    resolve(timedOut ? "timeout" : code === 0 ? "survived" : "killed");
  });
  return promise;
}

/** Runs test files in a trial room, one after the other in one process, until a test fails: the verdict on one mutant. */
import { spawn } from "node:child_process";
import { join } from "node:path";

export type Verdict = "killed" | "timeout" | "survived";

export async function runTests(root: string, files: readonly string[], timeoutMs: number): Promise<Verdict> {
  const { promise, resolve, reject } = Promise.withResolvers<Verdict>();
  const env = { ...process.env, STEPS: "60", SEED: "1", NODE_TEST_CONTEXT: undefined };
  const args = ["--test", "--test-isolation=none", "--test-reporter=tap", ...files.map((file) => join(root, file))];
  // A process group of its own, so that a trial that hangs ends with everything it started.
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ["ignore", "pipe", "ignore"], detached: true });
  let known: Verdict | undefined;
  const end = (verdict: Verdict): void => {
    known ??= verdict;
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
  };
  const timer = setTimeout(() => end("timeout"), timeoutMs);
  let line = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (line + chunk).split("\n");
    line = lines.pop() ?? "";
    if (lines.some((each) => /^\s*not ok /.test(each))) end("killed");
  });
  child.once("error", reject);
  child.once("exit", (code) => {
    clearTimeout(timer);
    resolve(known ?? (code === 0 ? "survived" : "killed"));
  });
  return promise;
}

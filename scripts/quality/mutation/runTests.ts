/** Runs test files in a trial room, one after the other, until a test fails: the verdict on one mutant. */
import { fork, type ChildProcess } from "node:child_process";
import { join } from "node:path";

export type Verdict = "killed" | "timeout" | "survived";

export interface TestRunner {
  run(files: readonly string[]): Promise<Verdict>;
  stop(): void;
}

/** Runs that one process makes; it keeps every test module that it ever loaded. */
const RUNS_PER_PROCESS = 100;

export function createTestRunner({ root, timeoutMs }: { root: string; timeoutMs: number }): TestRunner {
  let server: ChildProcess | undefined;
  let runs = 0;
  const stop = (): void => {
    server?.kill("SIGKILL");
    server = undefined;
    runs = 0;
  };
  return {
    async run(files) {
      if (runs === RUNS_PER_PROCESS) stop();
      runs += 1;
      server ??= startServer(root);
      const verdict = await ask(server, files.map((file) => join(root, file)), timeoutMs);
      if (verdict === "timeout") stop();
      return verdict;
    },
    stop,
  };
}

function startServer(root: string): ChildProcess {
  const env = { ...process.env, STEPS: "60", SEED: "1", NODE_TEST_CONTEXT: undefined };
  // Hardhat finds its configuration by the folder that it is started in.
  return fork(join(import.meta.dirname, "testServer.ts"), { cwd: root, env, stdio: ["ignore", "ignore", "inherit", "ipc"] });
}

async function ask(server: ChildProcess, files: readonly string[], timeoutMs: number): Promise<Verdict> {
  const { promise, resolve, reject } = Promise.withResolvers<Verdict>();
  const timer = setTimeout(() => resolve("timeout"), timeoutMs);
  const answered = (passed: boolean): void => resolve(passed ? "survived" : "killed");
  const ended = (code: number | null): void => reject(new Error(`The tests' process ended with ${code}.`));
  server.once("message", answered).once("exit", ended);
  server.send(files);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    server.off("message", answered).off("exit", ended);
  }
}

/** Runs test files in a trial room, one after the other, until a test fails: the verdict on one mutant. */
import { fork, type ChildProcess } from "node:child_process";
import { join } from "node:path";

export type Verdict = "killed" | "timeout" | "survived";

export interface TestFiles {
  /** Tests that deploy the mutated contract themselves, beside a world that is deployed once. */
  readonly inOneWorld: readonly string[];
  /** Tests of the contract as it stands in a world, which is deployed anew for each. */
  readonly inTheirOwn: readonly string[];
}

export interface TestRunner {
  run(files: TestFiles, timeoutMs: number): Promise<Verdict>;
  stop(): void;
}

/** Runs that one process makes; it keeps every test module that it ever loaded. */
const RUNS_PER_PROCESS = 100;

export function createTestRunner({ root }: { root: string }): TestRunner {
  let server: Promise<ChildProcess> | undefined;
  let runs = 0;
  const stop = (): void => {
    void server?.then((child) => child.kill("SIGKILL"));
    server = undefined;
    runs = 0;
  };
  return {
    async run(files, timeoutMs) {
      if (runs === RUNS_PER_PROCESS) stop();
      runs += 1;
      server ??= startServer(root);
      const verdict = await ask(await server, files, timeoutMs);
      if (verdict === "timeout") stop();
      return verdict;
    },
    stop,
  };
}

async function startServer(root: string): Promise<ChildProcess> {
  const env = { ...process.env, STEPS: "60", SEED: "1", NODE_TEST_CONTEXT: undefined };
  const { promise, resolve, reject } = Promise.withResolvers<ChildProcess>();
  // Hardhat finds its configuration by the folder that it is started in.
  const server = fork(join(import.meta.dirname, "testServer.ts"), {
    cwd: root,
    env,
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const ended = (code: number | null): void => reject(new Error(`The tests' process ended with ${code}.`));
  server.once("message", () => resolve(server)).once("exit", ended);
  return promise.finally(() => server.off("exit", ended));
}

async function ask(server: ChildProcess, files: TestFiles, timeoutMs: number): Promise<Verdict> {
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

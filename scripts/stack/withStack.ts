/**
 * Runs a stack for as long as `act` takes and ends it whatever happens: a result, an error, Ctrl-C, or a part that
 * died and without which nothing can go on. Nobody is left behind.
 */
import { rmSync } from "node:fs";
import type { Builds } from "./prepare.ts";
import { endLeftovers } from "./process/record.ts";
import { createStack, type Stack, type StackOptions } from "./stack.ts";
import { StackError } from "./stackError.ts";

export interface SessionOptions extends Omit<StackOptions, "onLost" | "builds"> {
  /** Removes the data, logs included, when the stack has ended. */
  temporary: boolean;
  /** What is built in the meantime; called once the ports were checked and leftovers ended. */
  builds: () => Builds | Promise<Builds>;
}

/** Without these everything that is on chain is gone, so the stack ends; a node or the gateway may go and come back. */
const essential = new Set(["chain", "postgres", "graph-node"]);
/** npm and the terminal may each deliver the same Ctrl-C. */
const sameSignalMs = 1_000;

export async function withStack<T>(
  options: SessionOptions,
  act: (stack: Stack, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { progress, dataDir, temporary } = options;
  await endLeftovers(progress);
  const ending = new AbortController();
  let askedAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    const now = performance.now();
    if (askedAt !== undefined && now - askedAt > sameSignalMs)
      progress.note("still stopping; kill -9 leaves the rest to the next start");
    askedAt ??= now;
    ending.abort(new StackError(`stopped by ${signal}`));
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, onSignal);
  const stack = createStack({
    ...options,
    onLost(part, report) {
      progress.note(report);
      if (essential.has(part)) ending.abort(new StackError(`${part} has ended, and nothing can go on without it.`));
    },
  });
  const ended = new Promise<never>((_, reject) =>
    ending.signal.addEventListener("abort", () => reject(ending.signal.reason as Error)),
  );
  try {
    await stack.requireResources();
    const builds = await Promise.race([options.builds(), ended]);
    return await Promise.race([stack.start(builds).then(() => act(stack, ending.signal)), ended]);
  } finally {
    ending.abort(new StackError("the stack has ended"));
    ended.catch(() => undefined);
    const isRunning = Object.keys(stack.pids()).length > 0;
    if (isRunning) await progress.step("stopped", () => stack.stop());
    else await stack.stop();
    if (temporary) rmSync(dataDir, { recursive: true, force: true });
    for (const signal of signals) process.off(signal, onSignal);
  }
}

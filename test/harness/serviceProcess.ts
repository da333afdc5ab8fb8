/** One of our services as a process of its own, as an operator runs it: what it says, and how it ends. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { until } from "./until.ts";

export interface ServiceProcess {
  pid: number;
  /** What stands behind READY. */
  ready: Record<string, unknown>;
  /** Everything it logged so far. */
  log(): string;
  /** Resolves when a line of its log has this message. */
  says(message: string, withinMs?: number): Promise<unknown>;
  signal(signal: NodeJS.Signals): void;
  /** Exit code, or the signal that ended it. */
  ended: Promise<number | string>;
}

const readyWithinMs = 60_000;

/** Resolves when it is up. `bin` is its path from the root of the repository. */
export async function startServiceProcess(options: {
  bin: string;
  env: Record<string, string>;
}): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "../..", options.bin)], {
    env: { PATH: process.env.PATH ?? "", ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  let printed = "";
  let outcome: number | string | undefined;
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const ended = new Promise<number | string>((resolve) => {
    child.once("close", (code, signal) => resolve((outcome = code ?? signal ?? "unknown")));
  });
  const line = await until(
    `${options.bin} is up`,
    () => {
      if (outcome !== undefined) throw new Error(`${options.bin} ended with ${outcome}:\n${said}`);
      return /^READY (.*)\n/m.exec(printed)?.[1];
    },
    readyWithinMs,
  ).catch((error: unknown) => {
    child.kill("SIGKILL");
    throw error;
  });
  return {
    pid: child.pid ?? 0,
    ready: JSON.parse(line) as Record<string, unknown>,
    log: () => said,
    says: (message, withinMs) => until(`${options.bin} says "${message}"`, () => said.includes(message), withinMs),
    signal: (signal) => void child.kill(signal),
    ended,
  };
}

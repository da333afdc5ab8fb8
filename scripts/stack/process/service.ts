/**
 * One child process of the stack: in a group of its own (Ctrl-C in a terminal reaches the starter alone), its output
 * in a file, watched until it is ready and from then on.
 */
import { spawn } from "node:child_process";
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { dieWithStarter } from "../dieWithStarter.ts";
import { StackError } from "../stackError.ts";
import { describeEnd } from "./describeEnd.ts";
import type { StackRecord } from "./record.ts";

export interface Service {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  /** Text behind `READY ` in the output; empty for a service that is asked instead. */
  readyText(): string;
  /** SIGTERM to the group, SIGKILL after the grace; resolves when the process has ended. */
  stop(options?: { graceMs?: number }): Promise<void>;
  /** SIGKILL to the group, at once. */
  kill(): Promise<void>;
}

export interface ServiceOptions {
  name: string;
  command: readonly [string, ...string[]];
  cwd: string;
  env: Record<string, string>;
  logFolder: string;
  record: StackRecord;
  /** "line": prints `READY …`; a function: asked until it says true. */
  ready: "line" | (() => Promise<boolean>);
  readyWithinMs: number;
  /** Called as soon as the process exists, so that it can be stopped before it is ready. */
  onSpawn: (service: Service) => void;
  /** Called once when a service that was ready ends without having been asked to. */
  onLost: (report: string) => void;
}

const pollMs = 25;
const graceOfServicesMs = 4_000;

export async function startService(options: ServiceOptions): Promise<Service> {
  const { name, command, cwd, env, logFolder, record, ready, readyWithinMs, onSpawn, onLost } = options;
  mkdirSync(logFolder, { recursive: true });
  const logFile = join(logFolder, `${name}.log`);
  const output = openSync(logFile, "a");
  // A service that is started again writes on; what it said earlier does not count.
  const logBegin = fstatSync(output).size;
  const [program, ...args] = dieWithStarter(command, "TERM");
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ["ignore", output, output],
  });
  closeSync(output);

  let asked = false;
  let isReady = false;
  let outcome: string | undefined;
  const ended = new Promise<void>((resolve) => {
    const end = (text: string): void => {
      outcome ??= text;
      resolve();
      if (isReady && !asked) onLost(describeEnd(name, outcome, logFile));
    };
    child.once("error", (error) => end(`does not run: ${error.message}`));
    child.once("exit", (code, signal) => end(signal ? `was ended by ${signal}` : `ended with code ${String(code)}`));
  });

  const pid = child.pid;
  if (pid === undefined) {
    await ended;
    throw new StackError(describeEnd(name, outcome ?? "does not run", logFile));
  }
  record.add(name, pid);

  const signalGroup = (signal: NodeJS.Signals): void => {
    try {
      process.kill(-pid, signal);
    } catch {
      // The group has ended.
    }
  };
  const kill = async (): Promise<void> => {
    asked = true;
    signalGroup("SIGKILL");
    await ended;
  };
  const stop = async ({ graceMs = graceOfServicesMs }: { graceMs?: number } = {}): Promise<void> => {
    asked = true;
    signalGroup("SIGTERM");
    const insist = setTimeout(() => signalGroup("SIGKILL"), graceMs);
    await ended;
    clearTimeout(insist);
    // Grandchildren that outlived their parent.
    signalGroup("SIGKILL");
  };

  let readyText: string | undefined;
  const service: Service = { name, pid, logFile, readyText: () => readyText ?? "", stop, kill };
  onSpawn(service);

  const deadline = performance.now() + readyWithinMs;
  while (readyText === undefined) {
    if (outcome !== undefined) throw new StackError(describeEnd(name, outcome, logFile));
    if (performance.now() > deadline) {
      await kill();
      throw new StackError(describeEnd(name, `was not ready within ${Math.round(readyWithinMs / 1_000)} s`, logFile));
    }
    if (ready === "line") readyText = readyLine(logFile, logBegin);
    else if (await ready()) readyText = "";
    if (readyText === undefined) await sleep(pollMs);
  }
  isReady = true;
  return service;
}

function readyLine(logFile: string, begin: number): string | undefined {
  return /^READY (.*)\n/m.exec(readFileSync(logFile).subarray(begin).toString())?.[1];
}

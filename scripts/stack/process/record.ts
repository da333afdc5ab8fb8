/**
 * The record of one running stack: who started it, what it started, where its data is. It outlives a starter that was
 * killed, so the next command finds what was left behind and ends it before anything else.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { paths } from "../paths.ts";
import type { Progress } from "../progress.ts";
import { groupOf, identityOf, isAlive, type ProcessIdentity } from "./identity.ts";

interface RecordedProcess extends ProcessIdentity {
  name: string;
}

interface RecordedStack {
  starter: ProcessIdentity;
  dataDir: string;
  processes: RecordedProcess[];
}

export interface StackRecord {
  /** Notes a child; it leads a process group of its own. */
  add(name: string, pid: number): void;
  /** Forgets the stack: everything in it has ended. */
  close(): void;
}

const gentleMs = 3_000;

export function openRecord(options: { dataDir: string }): StackRecord {
  const starter = identityOf(process.pid);
  if (!starter) throw new Error("this process has no identity");
  mkdirSync(paths.stacks, { recursive: true });
  const file = join(
    paths.stacks,
    `${process.pid}-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}.json`,
  );
  const stack: RecordedStack = { starter, dataDir: options.dataDir, processes: [] };
  const save = (): void => {
    writeFileSync(`${file}.part`, JSON.stringify(stack));
    renameSync(`${file}.part`, file);
  };
  save();
  return {
    add(name, pid) {
      const identity = identityOf(pid);
      if (identity) stack.processes.push({ name, ...identity });
      save();
    },
    close: () => rmSync(file, { force: true }),
  };
}

/**
 * Ends the stacks whose starters have died, and removes their data: a chain without its index is of no use to anybody.
 */
export async function endLeftovers(progress: Progress): Promise<void> {
  for (const file of recordFiles()) {
    const stack = read(file);
    if (stack && isAlive(stack.starter)) continue;
    if (stack) {
      const left = stack.processes.filter((process) => groupOf(process).length > 0);
      if (left.length > 0) {
        const names = left.map(({ name }) => name).join(", ");
        await progress.step(`ended what an interrupted run (process ${stack.starter.pid}) left behind: ${names}`, () =>
          end(left),
        );
      } else progress.note(`removing the data of an interrupted run (process ${stack.starter.pid})`);
      rmSync(stack.dataDir, { recursive: true, force: true });
    }
    rmSync(file, { force: true });
  }
}

/** True while a stack whose starter lives uses this folder. */
export function isInUse(dataDir: string): ProcessIdentity | undefined {
  return recordFiles()
    .map(read)
    .find((stack) => stack?.dataDir === dataDir && isAlive(stack.starter))?.starter;
}

/** Asks politely, last started first, then insists. */
async function end(processes: RecordedProcess[]): Promise<void> {
  const members = (): ProcessIdentity[] => processes.toReversed().flatMap(groupOf);
  for (const { pid } of members()) signal(pid, "SIGTERM");
  const insistAt = performance.now() + gentleMs;
  while (members().length > 0) {
    if (performance.now() > insistAt) for (const { pid } of members()) signal(pid, "SIGKILL");
    await sleep(50);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended between the look and the signal.
  }
}

function recordFiles(): string[] {
  try {
    return readdirSync(paths.stacks)
      .filter((name) => name.endsWith(".json"))
      .map((name) => join(paths.stacks, name));
  } catch {
    return [];
  }
}

function read(file: string): RecordedStack | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as RecordedStack;
  } catch {
    return undefined;
  }
}

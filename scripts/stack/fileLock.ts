/** One process at a time does what `name` stands for; a lock whose holder has died is taken over. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { paths } from "./paths.ts";
import { identityOf, isAlive, type ProcessIdentity } from "./process/identity.ts";
import type { Progress } from "./progress.ts";

const pollMs = 100;

export async function withFileLock<T>(options: {
  name: string;
  progress: Progress;
  act: () => Promise<T>;
}): Promise<T> {
  const { name, progress, act } = options;
  const file = join(paths.state, `${name}.lock`);
  mkdirSync(paths.state, { recursive: true });
  const mine = JSON.stringify(identityOf(process.pid));
  for (let told = false; !take(file, mine); told = true) {
    const holder = holderOf(file);
    if (holder === undefined) {
      removeDead(file);
      continue;
    }
    if (!told) progress.note(`waiting for process ${holder.pid} (${name})`);
    await sleep(pollMs);
  }
  try {
    return await act();
  } finally {
    rmSync(file, { force: true });
  }
}

function take(file: string, mine: string): boolean {
  try {
    writeFileSync(file, mine, { flag: "wx" });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

function holderOf(file: string): ProcessIdentity | undefined {
  try {
    const holder = JSON.parse(readFileSync(file, "utf8")) as ProcessIdentity;
    return isAlive(holder) ? holder : undefined;
  } catch {
    return undefined;
  }
}

/** Moved before it is removed: of two that find the same dead lock, one moves it and the other finds nothing. */
function removeDead(file: string): void {
  const moved = `${file}.${process.pid}`;
  try {
    renameSync(file, moved);
    rmSync(moved);
  } catch {
    // The other one was faster.
  }
}

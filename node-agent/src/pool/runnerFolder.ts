/**
 * The empty folder a runner lives in: private to this user, away from every key, named after the process that made
 * it, so that what a killed agent left behind can be told from what is in use.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const pattern = /^ngpu-runner-(\d+)-/;

export function makeRunnerFolder(): string {
  return mkdtempSync(join(tmpdir(), `ngpu-runner-${process.pid}-`));
}

/** Removes folders whose maker does not run any more. */
export function removeStaleRunnerFolders(): void {
  for (const name of readdirSync(tmpdir())) {
    const maker = Number(pattern.exec(name)?.[1] ?? 0);
    if (maker === 0 || isRunning(maker)) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // Another user's folder: not ours to remove.
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

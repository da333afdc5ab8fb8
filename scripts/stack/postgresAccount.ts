/**
 * Whom Postgres runs as: the caller, or, because it refuses to be root, an account without rights. Where a folder on
 * the way to its files is closed to that account (a repository below /root), it keeps the one capability that opens
 * folders.
 */
import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from "node:child_process";
import { chown, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { NgpuError } from "@ngpu/protocol/errors";
import type { Command } from "./dieWithStarter.ts";

export interface PostgresAccount {
  /** Gives a file or folder to the account. */
  own(file: string): Promise<void>;
  spawn(command: Command, options: SpawnOptions): ChildProcess;
}

/** Accounts that every Linux has; the first that exists is taken. */
const unprivileged = ["postgres", "nobody"];

/** `files` are the program and the data folder: what the account must be able to reach. */
export async function postgresAccount(files: readonly string[]): Promise<PostgresAccount> {
  if (process.getuid?.() !== 0) {
    return { own: async () => undefined, spawn: ([program, ...args], options) => spawn(program, args, options) };
  }
  const { uid, gid } = await unprivilegedIds();
  const own = (file: string): Promise<void> => chown(file, uid, gid);
  const closed = await closedFolder(files, uid);
  if (closed === undefined) {
    return { own, spawn: ([program, ...args], options) => spawn(program, args, { ...options, uid, gid }) };
  }

  const opening = ["--inh-caps=+dac_override", "--ambient-caps=+dac_override"];
  const become = [`--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", ...opening];
  if (spawnSync("setpriv", [...become, "true"], { stdio: "ignore" }).status !== 0) {
    throw new NgpuError("SETTING_INVALID", { folder: closed, reason: "closed to the account that runs Postgres" });
  }
  return { own, spawn: (command, options) => spawn("setpriv", [...become, ...command], options) };
}

async function unprivilegedIds(): Promise<{ uid: number; gid: number }> {
  const accounts = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => line.split(":"));
  for (const user of unprivileged) {
    const account = accounts.find(([name]) => name === user);
    if (account) return { uid: Number(account[2]), gid: Number(account[3]) };
  }
  const missingAccounts = unprivileged.join(", ");
  throw new NgpuError("SETTING_INVALID", { reason: "Postgres cannot run as root", missingAccounts });
}

async function closedFolder(files: readonly string[], uid: number): Promise<string | undefined> {
  for (const file of files) {
    for (let folder = path.dirname(file); folder !== path.dirname(folder); folder = path.dirname(folder)) {
      const { mode, uid: owner } = await stat(folder);
      if ((mode & (owner === uid ? 0o100 : 0o001)) === 0) return folder;
    }
  }
  return undefined;
}

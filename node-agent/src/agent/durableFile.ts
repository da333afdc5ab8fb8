/**
 * Files that survive a crash at any point: written beside their name, flushed, linked to it, and the folder flushed, so a
 * name holds either all bytes or does not exist.
 */
import { closeSync, fsyncSync, linkSync, openSync, unlinkSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { NgpuError } from "@ngpu/protocol/errors";

export const unfinishedSuffix = ".part";

/** Throws DISK_FULL, or EEXIST when the name is taken. */
export function writeDurably(path: string, content: string | Uint8Array, mode = 0o600): void {
  const unfinished = `${path}${unfinishedSuffix}`;
  try {
    const file = openSync(unfinished, "w", mode);
    try {
      const bytes = typeof content === "string" ? Buffer.from(content) : content;
      for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    // A link, unlike a rename, never replaces: two processes cannot both believe that they wrote this name.
    linkSync(unfinished, path);
    unlinkSync(unfinished);
    flushFolder(dirname(path));
  } catch (cause) {
    if (isFull(cause)) throw new NgpuError("DISK_FULL", { path }, { cause });
    throw cause;
  }
}

export function removeDurably(path: string): void {
  unlinkSync(path);
  flushFolder(dirname(path));
}

function flushFolder(path: string): void {
  // Windows cannot open a folder; its file system journals names itself.
  if (process.platform === "win32") return;
  const folder = openSync(join(path, "."), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function isFull(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOSPC" || code === "EDQUOT" || code === "EROFS";
}

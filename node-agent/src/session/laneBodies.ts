/**
 * Sealed outputs of a lane that are too large for a frame: a file each, named by their hash and written before the
 * journal speaks of them, kept until a voucher covers their answers.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Hex } from "viem";
import { writeDurably } from "../agent/durableFile.ts";

export interface LaneBodies {
  /** On disk when this returns. Throws DISK_FULL. */
  keep(hash: Hex, bytes: Uint8Array): void;
  /** Throws where it is not kept. */
  read(hash: Hex): Uint8Array;
  /** Drops all others. */
  keepOnly(hashes: readonly Hex[]): void;
}

export function createLaneBodies(folder: string): LaneBodies {
  return {
    keep(hash, bytes) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeDurably(join(folder, hash), bytes);
    },
    read: (hash) => new Uint8Array(readFileSync(join(folder, hash))),
    keepOnly(hashes) {
      if (!existsSync(folder)) return;
      const wanted = new Set<string>(hashes);
      for (const name of readdirSync(folder)) if (!wanted.has(name)) rmSync(join(folder, name));
    },
  };
}

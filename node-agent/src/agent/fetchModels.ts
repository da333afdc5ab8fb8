/**
 * Gets the files of models that this machine lacks from the gateway, over a coded link where there is one:
 *
 *   <folder>/<file>             as its manifest names it, once its hash is proved
 *   <folder>/<file>.part        what has come so far; a transfer goes on there, also after a restart
 */
import { catalogue as knownModels } from "@ngpu/protocol/catalogue";
import type { Blobs } from "@ngpu/protocol/blobExchange/blobs";
import { codeOf, errorCatalogue, NgpuError, type ErrorCode } from "@ngpu/protocol/errors";
import type { FileSpec, ModelManifest } from "@ngpu/protocol/manifest";
import type { Clock } from "@ngpu/protocol/service/clock";
import type { Log } from "@ngpu/protocol/service/log";
import { locateFile, modelRoots, within } from "@ngpu/protocol/service/modelFiles";
import { sha256OfFile } from "@ngpu/protocol/service/sha256OfFile";
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { Hex } from "viem";
import { unfinishedSuffix } from "./durableFile.ts";
import { untilDone } from "./untilDone.ts";

export interface FetchModelsOptions {
  blobs: Pick<Blobs, "part">;
  /** Where fetched files go. */
  folder: string;
  /** Looked into before anything is fetched, besides the packages of this installation. */
  folders: readonly string[];
  catalogue?: readonly { modelId: Hex; manifest: Pick<ModelManifest, "name" | "graphs" | "assets"> }[];
  clock: Clock;
  log: Log;
  signal: AbortSignal;
}

const tellEveryMs = 5_000;
const firstPauseMs = 500;
/** A gateway that says nothing for so long is not waited for: the node serves what it has. */
const patienceMs = 30_000;

/** Resolves when all that could be fetched is here; a file that could not is logged, and its model not served. */
export async function fetchModels(options: FetchModelsOptions): Promise<void> {
  const { catalogue = knownModels, folder, folders, log, signal } = options;
  const roots = modelRoots([...folders, folder]);
  for (const { modelId, manifest } of catalogue) {
    for (const spec of [...manifest.graphs, ...manifest.assets]) {
      if (locateFile(spec.file, roots) !== undefined) continue;
      try {
        await fetchFile(options, modelId, spec);
        log.info({ model: manifest.name, file: spec.file, bytes: spec.bytes }, "fetched from the gateway");
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ model: manifest.name, file: spec.file, code: codeOf(error) }, "could not be fetched from the gateway");
        // Without one of its files a model is not served, and so needs none of the others.
        break;
      }
    }
  }
}

/** Throws MODEL_MISMATCH where what came is not what the manifest names, DISK_FULL, or the gateway's code. */
async function fetchFile(options: FetchModelsOptions, modelId: Hex, spec: FileSpec): Promise<void> {
  const path = within(options.folder, spec.file);
  if (path === undefined) throw new NgpuError("MODEL_MISMATCH", { file: spec.file, reason: "leaves its folder" });
  const unfinished = `${path}${unfinishedSuffix}`;
  mkdirSync(dirname(path), { recursive: true });
  await receive(options, modelId, spec, unfinished);
  const found = await sha256OfFile(unfinished);
  if (found !== spec.sha256) {
    rmSync(unfinished);
    throw new NgpuError("MODEL_MISMATCH", { file: spec.file, expected: spec.sha256, found });
  }
  renameSync(unfinished, path);
}

async function receive(options: FetchModelsOptions, modelId: Hex, spec: FileSpec, path: string): Promise<void> {
  const { clock, log } = options;
  const file = openSync(path, "a", 0o600);
  try {
    let received = statSync(path).size;
    let toldMs = clock.monotonicMs();
    while (received < spec.bytes) {
      const bytes = await nextPart(options, { modelId, sha256: `0x${spec.sha256}`, offset: received });
      if (bytes.length === 0 || received + bytes.length > spec.bytes) break;
      writeAll(file, bytes);
      received += bytes.length;
      if (clock.monotonicMs() - toldMs < tellEveryMs) continue;
      toldMs = clock.monotonicMs();
      log.info({ file: spec.file, received, bytes: spec.bytes }, "fetching a model");
    }
    fsyncSync(file);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    throw code === "ENOSPC" || code === "EDQUOT" ? new NgpuError("DISK_FULL", { path }, { cause }) : cause;
  } finally {
    closeSync(file);
  }
}

async function nextPart(
  { blobs, clock, signal }: FetchModelsOptions,
  part: { modelId: Hex; sha256: Hex; offset: number },
): Promise<Uint8Array> {
  const untilMs = clock.monotonicMs() + patienceMs;
  const mayHelp = (code: ErrorCode, pauseMs: number): boolean =>
    errorCatalogue[code].retryable && code !== "BLOB_UNKNOWN" && clock.monotonicMs() + pauseMs <= untilMs;
  return untilDone(() => blobs.part({ ...part, signal }), { firstPauseMs, mayHelp, clock, signal });
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
}

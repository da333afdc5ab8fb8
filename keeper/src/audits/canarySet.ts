/**
 * Tasks whose right result is known: a folder with `canaries.json` (format `ngpu.canaries/1`) and the files it names.
 * The folder is a secret of its auditor; `scripts/canaries.ts` makes one.
 */
import { manifestOf } from "@ngpu/protocol/catalogue";
import { NgpuError } from "@ngpu/protocol/errors";
import { isRecord } from "@ngpu/protocol/isRecord";
import type { ModelManifest } from "@ngpu/protocol/manifest";
import { measureDimensions } from "@ngpu/protocol/measureDimensions";
import type { Part } from "@ngpu/protocol/sealed/payload";
import { workCumsOf, type Dimensions } from "@ngpu/protocol/work";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isHex, type Hex } from "viem";

const listName = "canaries.json";

export interface Canary {
  id: string;
  modelId: Hex;
  manifest: ModelManifest;
  parts: Part[];
  declared: Dimensions;
  /** The result document that an honest node gives. */
  expected: unknown;
  /** Declared work: tasks of one model and this work are of one size. */
  workCums: bigint;
}

export function hasCanaries(folder: string): boolean {
  return existsSync(join(folder, listName));
}

/** Throws SETTING_INVALID with what is wrong, before anything is paid for. */
export function readCanaries(folder: string): Canary[] {
  const list: unknown = JSON.parse(readFileSync(join(folder, listName), "utf8"));
  if (!isRecord(list) || list.format !== "ngpu.canaries/1" || !Array.isArray(list.canaries)) throw invalid("its format");
  const canaries = list.canaries.map((entry: unknown) => readCanary(folder, entry));
  if (new Set(canaries.map(({ id }) => id)).size < canaries.length) throw invalid("two canaries of one id");
  return canaries;
}

function readCanary(folder: string, entry: unknown): Canary {
  if (!isRecord(entry) || typeof entry.id !== "string" || !isHex(entry.modelId)) throw invalid("an entry");
  const { id, modelId, expected, declared = {} } = entry;
  if (!Array.isArray(entry.parts) || expected === undefined || !isRecord(declared)) throw invalid(id);
  const manifest = manifestOf(modelId);
  const parts = entry.parts.map((part: unknown): Part => {
    const isPart = isRecord(part) && typeof part.file === "string" && typeof part.mediaType === "string";
    if (!isPart || typeof part.name !== "string") throw invalid(id);
    const { name, mediaType, file } = part;
    return { name, mediaType: mediaType as string, bytes: new Uint8Array(readFileSync(join(folder, file as string))) };
  });
  const measured = measureDimensions({ manifest, parts: parts.map(({ bytes }) => bytes) });
  const dimensions = { ...(declared as Dimensions), ...measured };
  const workCums = workCumsOf({ manifest, dimensions });
  return { id, modelId, manifest, parts, declared: declared as Dimensions, expected, workCums };
}

function invalid(what: string): NgpuError {
  return new NgpuError("SETTING_INVALID", { setting: "NGPU_AUDIT_FOLDER", reason: `canaries.json: ${what} is wrong` });
}

/** Makes a set of canaries: each picture a task, and what the reference runner makes of it the expected result. */
import { measureInput } from "@ngpu/client/measureInput";
import { createLocalRunner, type LocalRunner } from "@ngpu/node-agent/localTask";
import { imageSize } from "@ngpu/protocol/imageSize";
import type { ModelManifest } from "@ngpu/protocol/manifest";
import type { TaskResult } from "@ngpu/protocol/results";
import type { Part } from "@ngpu/protocol/sealed/payload";
import type { Dimensions } from "@ngpu/protocol/work";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { keccak256, type Hex } from "viem";

/** Bills are compared within one size, so sizes are few: lines are declared in steps. */
const lineStep = 16;

/** Writes `canaries.json` last and at once, over one that is there. Rejects when `signal` ends it. */
export async function makeCanaries(options: {
  folder: string;
  model: { modelId: Hex; manifest: ModelManifest };
  /** Files. */
  pictures: readonly string[];
  signal?: AbortSignal;
}): Promise<void> {
  const { folder, model, pictures, signal } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const runner = await createLocalRunner();
  try {
    const canaries = [];
    for (const picture of pictures) {
      signal?.throwIfAborted();
      canaries.push(await canaryOf(picture, { folder, runner, ...model }));
    }
    const list = join(folder, "canaries.json");
    const text = JSON.stringify({ format: "ngpu.canaries/1", canaries }, undefined, 1);
    writeFileSync(`${list}.part`, text, { mode: 0o600 });
    renameSync(`${list}.part`, list);
  } finally {
    await runner.close();
  }
}

interface Making {
  folder: string;
  runner: LocalRunner;
  modelId: Hex;
  manifest: ModelManifest;
}

async function canaryOf(picture: string, making: Making) {
  const { folder, modelId, manifest } = making;
  const bytes = new Uint8Array(readFileSync(picture));
  const part: Part = { name: basename(picture), mediaType: imageSize(bytes).mediaType, bytes };
  const { lines: mostLines } = manifest.dimensions;
  const most: Dimensions = mostLines === undefined ? {} : { lines: mostLines.maximum };
  const lines = linesOf(await resultOf(making, part, most));
  const declared: Dimensions = lines === undefined ? {} : { lines: lineStep * Math.ceil((lines * 1.25 + 1) / lineStep) };
  const expected = await resultOf(making, part, declared);
  const id = keccak256(bytes).slice(2, 18);
  const file = `${id}${extname(picture)}`;
  writeFileSync(join(folder, file), bytes, { mode: 0o600 });
  return { id, modelId, declared, parts: [{ name: part.name, mediaType: part.mediaType, file }], expected };
}

/** As a node computes it for a payer that declares this. */
async function resultOf({ runner, manifest }: Making, part: Part, declared: Dimensions): Promise<TaskResult> {
  const { dimensions } = measureInput({ manifest, parts: [part], declared });
  const { result } = await runner.run({ model: manifest.name, payload: { parameters: dimensions, parts: [part] } });
  return result;
}

/** Lines of text in all pictures; undefined for a model that reads none. */
function linesOf(result: TaskResult): number | undefined {
  if (result.schema !== "ngpu.text/1") return undefined;
  return result.images.reduce((sum, image) => sum + image.lines.length, 0);
}

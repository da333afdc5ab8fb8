/**
 * Makes a set of canaries for an auditor (docs/OPERATIONS.md, "Audits"): each picture becomes a task, and what the
 * reference runner on this machine makes of it the expected result.
 * Usage: node scripts/canaries.ts FOLDER MODEL PICTURE…   (MODEL: pp-ocr-v4 or blazeface-back)
 */
import { measureInput } from "@ngpu/client/measureInput";
import { createLocalRunner } from "@ngpu/node-agent/localTask";
import { catalogue } from "@ngpu/protocol/catalogue";
import { imageSize } from "@ngpu/protocol/imageSize";
import type { ModelManifest } from "@ngpu/protocol/manifest";
import type { TaskResult } from "@ngpu/protocol/results";
import type { Part } from "@ngpu/protocol/sealed/payload";
import type { Dimensions } from "@ngpu/protocol/work";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { keccak256 } from "viem";

/** Bills are compared within one size, so sizes are few: lines are declared in steps. */
const lineStep = 16;

const [folder, model, ...pictures] = process.argv.slice(2);
const found = catalogue.find(({ manifest }) => manifest.name === model);
if (folder === undefined || model === undefined || found === undefined || pictures.length === 0) {
  console.error("usage: node scripts/canaries.ts FOLDER MODEL PICTURE…");
  process.exit(64);
}

const listFile = join(folder, "canaries.json");
if (existsSync(listFile)) {
  console.error(`${listFile} is there already: canaries are used up, so a set is made anew and never overwritten`);
  process.exit(73);
}
mkdirSync(folder, { recursive: true, mode: 0o700 });
const { modelId, manifest } = found;
const runner = await createLocalRunner();
try {
  const canaries = [];
  for (const picture of pictures) canaries.push(await canaryOf(picture, manifest));
  writeFileSync(listFile, JSON.stringify({ format: "ngpu.canaries/1", canaries }, undefined, 1), { mode: 0o600 });
  console.log(`${canaries.length} canaries in ${listFile}`);
} finally {
  await runner.close();
}

async function canaryOf(picture: string, { dimensions }: ModelManifest) {
  const bytes = new Uint8Array(readFileSync(picture));
  const part: Part = { name: basename(picture), mediaType: imageSize(bytes).mediaType, bytes };
  const most: Dimensions = dimensions.lines === undefined ? {} : { lines: dimensions.lines.maximum };
  const lines = linesOf(await resultOf(part, most));
  const declared: Dimensions = lines === undefined ? {} : { lines: lineStep * Math.ceil((lines * 1.25 + 1) / lineStep) };
  const expected = await resultOf(part, declared);
  const id = keccak256(bytes).slice(2, 18);
  const file = `${id}${extname(picture)}`;
  writeFileSync(join(folder as string, file), bytes, { mode: 0o600 });
  return { id, modelId, declared, parts: [{ name: part.name, mediaType: part.mediaType, file }], expected };
}

/** As a node computes it for a payer that declares this. */
async function resultOf(part: Part, declared: Dimensions): Promise<TaskResult> {
  const { dimensions } = measureInput({ manifest, parts: [part], declared });
  const { result } = await runner.run({ model: manifest.name, payload: { parameters: dimensions, parts: [part] } });
  return result;
}

/** Lines of text in all pictures; undefined for a model that reads none. */
function linesOf(result: TaskResult): number | undefined {
  if (result.schema !== "ngpu.text/1") return undefined;
  return result.images.reduce((sum, image) => sum + image.lines.length, 0);
}

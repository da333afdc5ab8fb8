/**
 * Makes a set of canaries for an auditor (docs/OPERATIONS.md, "Audits"): each picture becomes a task, and what the
 * reference runner on this machine makes of it the expected result.
 * Usage: node scripts/canaries.ts FOLDER MODEL PICTURE…   (MODEL: pp-ocr-v4 or blazeface-back)
 */
import { hasCanaries } from "@ngpu/keeper/audits/canarySet";
import { catalogue } from "@ngpu/protocol/catalogue";
import { makeCanaries } from "./canaries/makeCanaries.ts";

const [folder, name, ...pictures] = process.argv.slice(2);
const model = catalogue.find(({ manifest }) => manifest.name === name);
if (folder === undefined || model === undefined || pictures.length === 0) {
  console.error("usage: node scripts/canaries.ts FOLDER MODEL PICTURE…");
  process.exit(64);
}
if (hasCanaries(folder)) {
  console.error(`${folder} holds a set already: canaries are used up, so a set is made anew and never overwritten`);
  process.exit(73);
}
await makeCanaries({ folder, model, pictures });
console.log(`${pictures.length} canaries in ${folder}`);

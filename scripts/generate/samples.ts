/**
 * Copies the face samples of the dApp from node_modules to app/public/samples/faces, which is not in the repository: the pictures
 * belong to @vladmandic/face-api (MIT). The sample documents are our own and are committed (app/samples/render.ts makes them).
 */
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const root = join(import.meta.dirname, "../..");
const samples = join(root, "app/public/samples");
const source = join(root, "node_modules/@vladmandic/face-api/demo");

const listed = JSON.parse(readFileSync(join(samples, "samples.json"), "utf8")) as { faces: { file: string }[] };
for (const { file } of listed.faces) {
  const target = join(samples, file);
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(join(source, basename(file)), target);
}
console.log(`${listed.faces.length} face samples copied`);

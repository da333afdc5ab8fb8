/**
 * Prints what the models cost on this machine in the terms of their work formulas: microseconds per kilo-pixel and
 * line, and milliseconds per photograph, on one ORT thread. The manifests' coefficients
 * (scripts/generate/manifests.ts) come from it.
 * Usage: node node-agent/bin/calibrate.ts TEXT.png PHOTO.jpg…
 */
import { readFileSync } from "node:fs";
import { imageSize } from "@ngpu/protocol/imageSize";
import { PNG } from "pngjs";
import { createLocalRunner } from "../src/localTask.ts";

const rounds = 9;
const [textFile, ...photoFiles] = process.argv.slice(2);
if (textFile === undefined || photoFiles.length === 0) {
  console.error("usage: node node-agent/bin/calibrate.ts TEXT.png PHOTO.jpg…");
  process.exit(64);
}

const runner = await createLocalRunner();
try {
  const text = readFileSync(textFile);
  const allLines = await linesOf(text);
  const oneLine = await medianMs("pp-ocr-v4", [text], 1);
  const everyLine = await medianMs("pp-ocr-v4", [text], allLines);
  const perLine = ((everyLine - oneLine) * 1000) / (allLines - 1);
  const [small, large] = [blank(320, 320), blank(960, 960)];
  const perPixels =
    (((await medianMs("pp-ocr-v4", [large], 1)) - (await medianMs("pp-ocr-v4", [small], 1))) * 1000) / (921.6 - 102.4);
  const photos = photoFiles.map((file) => readFileSync(file));
  const perPhoto = [];
  for (const photo of photos) perPhoto.push(await medianMs("blazeface-back", [photo], 1));

  console.log(
    `pp-ocr-v4       ${everyLine} ms: ${Math.round(perLine)} us per line (${allLines} lines), ${Math.round(perPixels)} us per kilo-pixel`,
  );
  console.log(`blazeface-back  ${perPhoto.join(", ")} ms per photo`);
} finally {
  await runner.close();
}

async function medianMs(model: string, images: Uint8Array[], lines: number): Promise<number> {
  const parts = images.map((bytes, index) => ({ name: String(index), mediaType: imageSize(bytes).mediaType, bytes }));
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const { durationMs } = await runner.run({
      model,
      payload: { parameters: { images: images.length, lines }, parts },
    });
    times.push(durationMs);
  }
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
}

async function linesOf(bytes: Uint8Array): Promise<number> {
  const parts = [{ name: "text", mediaType: "image/png", bytes }];
  const { result } = await runner.run({
    model: "pp-ocr-v4",
    payload: { parameters: { images: 1, lines: 2_000 }, parts },
  });
  return result.schema === "ngpu.text/1" ? (result.images[0]?.lines.length ?? 0) : 0;
}

function blank(width: number, height: number): Buffer {
  const image = new PNG({ width, height });
  image.data.fill(255);
  return PNG.sync.write(image);
}

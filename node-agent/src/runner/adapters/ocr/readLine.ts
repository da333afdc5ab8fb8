/** Reads one cut-out line: recognition graph, then CTC decoding (best class per step, repeats and blanks dropped). */
import { NgpuError } from "@ngpu/protocol/errors";
import type { GraphRun } from "../../adapter.ts";
import type { RgbImage } from "../resize.ts";
import { rounded } from "../rounded.ts";

export type LineReader = (line: RgbImage, recognition: GraphRun) => Promise<{ text: string; confidence: number }>;

/** Class 0 is the blank, the last class a space; the keys file names those between, one per line. */
export function createLineReader(keysFile: Uint8Array): LineReader {
  const keys = new TextDecoder().decode(keysFile).split(/\r?\n/);
  if (keys.at(-1) === "") keys.pop();
  const characters = ["", ...keys, " "];

  return async (line, recognition) => {
    const output = Object.values(
      await recognition({ data: normalised(line), shape: [1, 3, line.height, line.width] }),
    )[0];
    const [, steps = 0, classes = 0] = output?.shape ?? [];
    if (output === undefined || classes !== characters.length || output.data.length !== steps * classes) {
      throw new NgpuError("MODEL_MISMATCH", { classes, keys: characters.length });
    }
    let text = "";
    let confidence = 0;
    let count = 0;
    let previous = 0;
    for (let step = 0; step < steps; step++) {
      const [best, probability] = strongest(output.data, step * classes, classes);
      if (best !== 0 && best !== previous) {
        text += characters[best] ?? "";
        confidence += probability;
        count += 1;
      }
      previous = best;
    }
    return { text, confidence: count === 0 ? 0 : rounded(confidence / count, 4) };
  };
}

function strongest(data: Float32Array, start: number, length: number): [best: number, value: number] {
  let best = 0;
  let value = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < length; i++) {
    const candidate = data[start + i]!;
    if (candidate > value) [best, value] = [i, candidate];
  }
  return [best, value];
}

/** Planes in BGR order, as the weights were trained, from −1 to 1. */
function normalised({ width, height, data }: RgbImage): Float32Array {
  const area = width * height;
  const planes = new Float32Array(3 * area);
  for (let i = 0; i < area; i++) {
    for (let channel = 0; channel < 3; channel++) planes[channel * area + i] = data[i * 3 + 2 - channel]! / 127.5 - 1;
  }
  return planes;
}

/**
 * Finds text boxes: the detection graph gives each pixel a probability of being the core of a line; connected cores
 * become rectangles, grown back to the full line ("unclip" of Differentiable Binarization), in pixels of the original
 * image.
 */
import { detectionSize } from "@ngpu/protocol/detectionSize";
import { NgpuError } from "@ngpu/protocol/errors";
import type { Quad } from "@ngpu/protocol/results";
import type { GraphRun } from "../../adapter.ts";
import type { Raster } from "../decodeImage.ts";
import { resize } from "../resize.ts";
import { rounded } from "../rounded.ts";
import { connectedCores } from "./connectedCores.ts";
import { smallestRectangle } from "./smallestRectangle.ts";

const coreProbability = 0.3;
const minMeanProbability = 0.6;
const minCoreSidePx = 3;
const growth = 1.6;
const maxBoxes = 2_000;
const mean = [0.485, 0.456, 0.406] as const;
const deviation = [0.229, 0.224, 0.225] as const;

export async function findBoxes(raster: Raster, detection: GraphRun): Promise<Quad[]> {
  const { widthPx: width, heightPx: height } = detectionSize({ widthPx: raster.width, heightPx: raster.height });
  const size = { width, height };
  const map = Object.values(
    await detection({ data: normalised(raster, size), shape: [1, 3, size.height, size.width] }),
  )[0];
  if (map === undefined || map.data.length !== size.width * size.height)
    throw new NgpuError("MODEL_MISMATCH", { output: "map" });

  const [scaleX, scaleY] = [raster.width / size.width, raster.height / size.height];
  const quads: Quad[] = [];
  for (const core of connectedCores({ ...size, data: map.data, threshold: coreProbability })) {
    if (core.meanProbability < minMeanProbability || quads.length === maxBoxes) continue;
    const rectangle = smallestRectangle(core.outline);
    if (Math.min(rectangle.length, rectangle.breadth) < minCoreSidePx) continue;
    const { length, breadth } = rectangle;
    const margin = (length * breadth * growth) / (2 * (length + breadth));
    quads.push(
      cornersOf(rectangle, margin).map(([x, y]) => [
        rounded(Math.min(raster.width, Math.max(0, x * scaleX)), 1),
        rounded(Math.min(raster.height, Math.max(0, y * scaleY)), 1),
      ]) as Quad,
    );
  }
  return quads;
}

/** Corners clockwise from the top left, `margin` outside the core. */
function cornersOf({ centre, angle, length, breadth }: ReturnType<typeof smallestRectangle>, margin: number): Quad {
  const [alongX, alongY] = [Math.cos(angle), Math.sin(angle)];
  const [halfLength, halfBreadth] = [length / 2 + margin, breadth / 2 + margin];
  const corner = (a: number, b: number): [number, number] => [
    centre[0] + alongX * halfLength * a - alongY * halfBreadth * b,
    centre[1] + alongY * halfLength * a + alongX * halfBreadth * b,
  ];
  return [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
}

/** Planes in BGR order with the means of the training set, as the weights expect. */
function normalised(raster: Raster, { width, height }: { width: number; height: number }): Float32Array {
  const { data } = resize(raster, width, height);
  const area = width * height;
  const planes = new Float32Array(3 * area);
  for (let channel = 0; channel < 3; channel++) {
    const factor = 1 / (255 * deviation[channel]!);
    const offset = mean[channel]! / deviation[channel]!;
    for (let i = 0; i < area; i++) planes[channel * area + i] = data[i * 3 + 2 - channel]! * factor - offset;
  }
  return planes;
}

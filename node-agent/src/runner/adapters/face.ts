/**
 * Adapter `face.v1` for BlazeFace "back" (256 × 256): the image is scaled to fit a black square, 896 anchors are
 * scored, and overlapping candidates are averaged by score (weighted non-maximum suppression), which steadies box and
 * landmarks.
 */
import { NgpuError } from "@ngpu/protocol/errors";
import type { FacesResult } from "@ngpu/protocol/results";
import type { Adapter, GraphRun } from "../adapter.ts";
import { decodeImage, type Raster } from "./decodeImage.ts";
import { resize } from "./resize.ts";
import { rounded } from "./rounded.ts";

type Face = FacesResult["images"][number]["faces"][number];

/** Corner coordinates, then six landmarks, as fractions of the square. */
interface Candidate {
  score: number;
  left: number;
  top: number;
  right: number;
  bottom: number;
  landmarks: number[];
}

const sidePx = 256;
const minScore = 0.6;
const overlapIou = 0.3;
const valuesPerAnchor = 16;
const layers = [
  { scores: "Identity:0", boxes: "Identity_2:0", grid: 16, anchorsPerCell: 2 },
  { scores: "Identity_1:0", boxes: "Identity_3:0", grid: 8, anchorsPerCell: 6 },
] as const;

export function createFaceAdapter(): Adapter {
  return async ({ payload, manifest, graphs, onProgress }) => {
    const { detection } = graphs;
    if (detection === undefined) throw new NgpuError("MODEL_MISMATCH", { graph: "detection" });
    const images: FacesResult["images"] = [];
    for (const [index, part] of payload.parts.entries()) {
      const raster = decodeImage(part.bytes, manifest.limits);
      const faces = await detectFaces(raster, detection);
      images.push({ name: part.name, width: raster.width, height: raster.height, faces });
      onProgress(Math.floor(((index + 1) * 1000) / payload.parts.length));
    }
    return { schema: "ngpu.faces/1", images };
  };
}

async function detectFaces(raster: Raster, detection: GraphRun): Promise<Face[]> {
  const scale = sidePx / Math.max(raster.width, raster.height);
  const fitted = resize(
    raster,
    Math.max(1, Math.round(raster.width * scale)),
    Math.max(1, Math.round(raster.height * scale)),
  );
  const offsetX = Math.floor((sidePx - fitted.width) / 2);
  const offsetY = Math.floor((sidePx - fitted.height) / 2);
  const square = new Float32Array(sidePx * sidePx * 3).fill(-1);
  for (let y = 0; y < fitted.height; y++) {
    const from = y * fitted.width * 3;
    const to = ((y + offsetY) * sidePx + offsetX) * 3;
    for (let i = 0; i < fitted.width * 3; i++) square[to + i] = fitted.data[from + i]! / 127.5 - 1;
  }
  const outputs = await detection({ data: square, shape: [1, sidePx, sidePx, 3] });
  const candidates = layers.flatMap((layer) => {
    const [scores, boxes] = [outputs[layer.scores], outputs[layer.boxes]];
    if (scores === undefined || boxes === undefined) throw new NgpuError("MODEL_MISMATCH", { output: layer.scores });
    return decodeLayer(scores.data, boxes.data, layer);
  });
  const toPx = {
    x: (fraction: number) => rounded(((fraction * sidePx - offsetX) * raster.width) / fitted.width, 1),
    y: (fraction: number) => rounded(((fraction * sidePx - offsetY) * raster.height) / fitted.height, 1),
  };
  return averageOverlaps(candidates).map((face) => describe(face, toPx));
}

function decodeLayer(
  scores: Float32Array,
  boxes: Float32Array,
  layer: { grid: number; anchorsPerCell: number },
): Candidate[] {
  const found: Candidate[] = [];
  for (const [anchor, logit] of scores.entries()) {
    const score = 1 / (1 + Math.exp(-logit));
    // Written so that NaN is refused too.
    if (!(score >= minScore)) continue;
    const cell = Math.floor(anchor / layer.anchorsPerCell);
    const anchorX = ((cell % layer.grid) + 0.5) / layer.grid;
    const anchorY = (Math.floor(cell / layer.grid) + 0.5) / layer.grid;
    const values = boxes.subarray(anchor * valuesPerAnchor, (anchor + 1) * valuesPerAnchor);
    if (!values.every(Number.isFinite)) continue;
    const [x, y, width, height, ...landmarks] = [...values].map((value) => value / sidePx) as [
      number,
      number,
      number,
      number,
    ];
    found.push({
      score,
      left: anchorX + x - width / 2,
      top: anchorY + y - height / 2,
      right: anchorX + x + width / 2,
      bottom: anchorY + y + height / 2,
      landmarks: (landmarks as number[]).map((value, index) => value + (index % 2 === 0 ? anchorX : anchorY)),
    });
  }
  return found;
}

function averageOverlaps(candidates: Candidate[]): Candidate[] {
  let rest = candidates.toSorted((a, b) => b.score - a.score);
  const faces: Candidate[] = [];
  while (rest[0] !== undefined) {
    const best = rest[0];
    const same = rest.filter((other) => other === best || overlap(best, other) > overlapIou);
    rest = rest.filter((other) => !same.includes(other));
    const total = same.reduce((sum, { score }) => sum + score, 0);
    const mean = (value: (face: Candidate) => number): number =>
      same.reduce((sum, face) => sum + value(face) * face.score, 0) / total;
    faces.push({
      score: best.score,
      left: mean((face) => face.left),
      top: mean((face) => face.top),
      right: mean((face) => face.right),
      bottom: mean((face) => face.bottom),
      landmarks: best.landmarks.map((_, index) => mean((face) => face.landmarks[index] ?? 0)),
    });
  }
  return faces;
}

function overlap(a: Candidate, b: Candidate): number {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  if (width <= 0 || height <= 0) return 0;
  const area = (face: Candidate): number => (face.right - face.left) * (face.bottom - face.top);
  return (width * height) / (area(a) + area(b) - width * height);
}

function describe(face: Candidate, toPx: { x: (fraction: number) => number; y: (fraction: number) => number }): Face {
  const [x, y] = [toPx.x(face.left), toPx.y(face.top)];
  const landmarks: [number, number][] = [];
  for (let i = 0; i + 1 < face.landmarks.length; i += 2) {
    landmarks.push([toPx.x(face.landmarks[i] ?? 0), toPx.y(face.landmarks[i + 1] ?? 0)]);
  }
  const box = { x, y, width: rounded(toPx.x(face.right) - x, 1), height: rounded(toPx.y(face.bottom) - y, 1) };
  return { score: rounded(face.score, 4), box, landmarks };
}

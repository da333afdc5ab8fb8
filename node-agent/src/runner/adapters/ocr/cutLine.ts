/** Cuts a text box out of an image, turned upright and scaled to the 48 px height that the recognition graph reads. */
import type { Quad } from "@ngpu/protocol/results";
import type { Raster } from "../decodeImage.ts";
import type { RgbImage } from "../resize.ts";

const heightPx = 48;
const minWidthPx = 48;
const maxWidthPx = 2_400;
const widthStepPx = 8;
/** A box this much taller than wide holds a line written downwards. */
const uprightRatio = 1.5;

export function cutLine(raster: Raster, quad: Quad): RgbImage {
  const [corners, boxWidth, boxHeight] = uprightBox(quad);
  const wanted = Math.ceil((boxWidth * heightPx) / boxHeight / widthStepPx) * widthStepPx;
  const width = Math.min(maxWidthPx, Math.max(minWidthPx, wanted));
  const [topLeft, topRight, , bottomLeft] = corners;
  // Steps in the image for one pixel of the cut; averaging over `across` × `down` samples keeps small print legible.
  const stepX = [(topRight[0] - topLeft[0]) / width, (topRight[1] - topLeft[1]) / width] as const;
  const stepY = [(bottomLeft[0] - topLeft[0]) / heightPx, (bottomLeft[1] - topLeft[1]) / heightPx] as const;
  const across = samplesFor(Math.hypot(...stepX));
  const down = samplesFor(Math.hypot(...stepY));

  const data = new Float32Array(width * heightPx * 3);
  const sum = new Float32Array(3);
  for (let y = 0, out = 0; y < heightPx; y++) {
    for (let x = 0; x < width; x++, out += 3) {
      sum.fill(0);
      for (let j = 0; j < down; j++) {
        for (let i = 0; i < across; i++) {
          const [u, v] = [x + (i + 0.5) / across, y + (j + 0.5) / down];
          const sourceX = topLeft[0] + stepX[0] * u + stepY[0] * v - 0.5;
          const sourceY = topLeft[1] + stepX[1] * u + stepY[1] * v - 0.5;
          addSample(raster, sourceX, sourceY, sum);
        }
      }
      for (let channel = 0; channel < 3; channel++) data[out + channel] = sum[channel]! / (across * down);
    }
  }
  return { width, height: heightPx, data };
}

/** Corners clockwise from the line's beginning, and its length and height. */
function uprightBox([a, b, c, d]: Quad): [Quad, width: number, height: number] {
  const width = Math.max(1, Math.hypot(b[0] - a[0], b[1] - a[1]));
  const height = Math.max(1, Math.hypot(d[0] - a[0], d[1] - a[1]));
  return height < uprightRatio * width ? [[a, b, c, d], width, height] : [[b, c, d, a], height, width];
}

function samplesFor(stepPx: number): number {
  return Math.min(8, Math.max(1, Math.round(stepPx)));
}

/** Adds the bilinear sample at (x, y), clamped to the image, transparency over white. */
function addSample({ width, height, data }: Raster, x: number, y: number, sum: Float32Array): void {
  const clampedX = Math.min(width - 1, Math.max(0, x));
  const clampedY = Math.min(height - 1, Math.max(0, y));
  const [left, top] = [Math.floor(clampedX), Math.floor(clampedY)];
  const [right, bottom] = [Math.min(width - 1, left + 1), Math.min(height - 1, top + 1)];
  const [partX, partY] = [clampedX - left, clampedY - top];
  const add = (pixelX: number, pixelY: number, weight: number): void => {
    if (weight === 0) return;
    const pixel = (pixelY * width + pixelX) * 4;
    const opacity = data[pixel + 3]! / 255;
    const white = 255 * (1 - opacity);
    for (let channel = 0; channel < 3; channel++) {
      sum[channel] = sum[channel]! + (data[pixel + channel]! * opacity + white) * weight;
    }
  };
  add(left, top, (1 - partX) * (1 - partY));
  add(right, top, partX * (1 - partY));
  add(left, bottom, (1 - partX) * partY);
  add(right, bottom, partX * partY);
}

/**
 * Scales an image with a triangle filter (linear upwards, area-weighted downwards, so small print survives) into
 * three float planes-to-be: the result is RGB by pixel, 0 to 255, transparency laid over white.
 */
import type { Raster } from "./decodeImage.ts";

export interface RgbImage {
  width: number;
  height: number;
  /** RGB by pixel, 0 to 255. */
  data: Float32Array;
}

export function resize(raster: Raster, width: number, height: number): RgbImage {
  const across = filterTaps(raster.width, width);
  const down = filterTaps(raster.height, height);
  const rows = new Float32Array(raster.height * width * 3);
  for (let y = 0; y < raster.height; y++)
    narrowRow(raster, y, across, rows.subarray(y * width * 3, (y + 1) * width * 3));

  const data = new Float32Array(width * height * 3);
  for (let y = 0; y < height; y++) {
    const target = data.subarray(y * width * 3, (y + 1) * width * 3);
    for (let tap = 0; tap < down.count; tap++) {
      const weight = down.weights[y * down.count + tap] ?? 0;
      if (weight === 0) continue;
      const from = (down.starts[y] ?? 0) + tap;
      const source = rows.subarray(from * width * 3, (from + 1) * width * 3);
      for (let i = 0; i < target.length; i++) target[i] = target[i]! + source[i]! * weight;
    }
  }
  return { width, height, data };
}

function narrowRow(raster: Raster, y: number, taps: FilterTaps, target: Float32Array): void {
  const { data, width } = raster;
  const { starts, weights, count } = taps;
  for (let x = 0, out = 0; out < target.length; x++, out += 3) {
    let [red, green, blue] = [0, 0, 0];
    let pixel = (y * width + starts[x]!) * 4;
    for (let tap = x * count; tap < (x + 1) * count; tap++, pixel += 4) {
      const weight = weights[tap]!;
      if (weight === 0) continue;
      const opacity = data[pixel + 3]! / 255;
      const white = 255 * (1 - opacity);
      red += (data[pixel]! * opacity + white) * weight;
      green += (data[pixel + 1]! * opacity + white) * weight;
      blue += (data[pixel + 2]! * opacity + white) * weight;
    }
    target[out] = red;
    target[out + 1] = green;
    target[out + 2] = blue;
  }
}

/** For each target position the first source position and `count` weights that add up to 1. */
interface FilterTaps {
  starts: Int32Array;
  weights: Float32Array;
  count: number;
}

function filterTaps(from: number, to: number): FilterTaps {
  const scale = from / to;
  const reach = Math.max(1, scale);
  const count = Math.min(from, Math.ceil(reach) * 2 + 1);
  const starts = new Int32Array(to);
  const weights = new Float32Array(to * count);
  for (let position = 0; position < to; position++) {
    const centre = (position + 0.5) * scale - 0.5;
    const start = Math.min(Math.max(0, Math.ceil(centre - reach)), from - count);
    starts[position] = start;
    let total = 0;
    for (let tap = 0; tap < count; tap++) {
      const weight = Math.max(0, 1 - Math.abs(start + tap - centre) / reach);
      weights[position * count + tap] = weight;
      total += weight;
    }
    for (let tap = 0; tap < count; tap++) weights[position * count + tap] = weights[position * count + tap]! / total;
  }
  return { starts, weights, count };
}

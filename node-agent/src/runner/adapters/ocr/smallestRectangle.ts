/**
 * The rectangle of least area around points: one of its sides lies on a side of their convex hull. The angle is kept
 * within ±45°, so the corners always start at the top left.
 */
import type { Point } from "./connectedCores.ts";

export interface Rectangle {
  centre: Point;
  /** Radians, clockwise as seen on screen (y points down). */
  angle: number;
  /** Extent along the angle. */
  length: number;
  /** Extent across it. */
  breadth: number;
}

export function smallestRectangle(points: readonly Point[]): Rectangle {
  const hull = convexHull(points);
  const straight = rectangleAt(points, 0);
  let best = { ...straight, breadth: straight.breadth * tiltBenefit };
  for (const [index, from] of hull.entries()) {
    const to = hull[(index + 1) % hull.length] ?? from;
    const angle = withinQuarter(Math.atan2(to[1] - from[1], to[0] - from[0]));
    const candidate = rectangleAt(hull, angle);
    if (candidate.length * candidate.breadth < best.length * best.breadth) best = candidate;
  }
  return best.angle === 0 ? straight : best;
}

/** A tilted rectangle must be this much smaller than the straight one, else a ragged edge would tilt every line. */
const tiltBenefit = 0.88;

function rectangleAt(points: readonly Point[], angle: number): Rectangle {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  let [minU, maxU, minV, maxV] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [x, y] of points) {
    const [u, v] = [x * cos + y * sin, y * cos - x * sin];
    [minU, maxU] = [Math.min(minU, u), Math.max(maxU, u)];
    [minV, maxV] = [Math.min(minV, v), Math.max(maxV, v)];
  }
  const [midU, midV] = [(minU + maxU) / 2, (minV + maxV) / 2];
  return {
    centre: [midU * cos - midV * sin, midU * sin + midV * cos],
    angle,
    length: maxU - minU,
    breadth: maxV - minV,
  };
}

function withinQuarter(angle: number): number {
  const quarter = Math.PI / 2;
  return angle - Math.round(angle / quarter) * quarter;
}

/** Monotone chain. */
function convexHull(points: readonly Point[]): Point[] {
  const sorted = points.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (ordered: readonly Point[]): Point[] => {
    const chain: Point[] = [];
    for (const point of ordered) {
      while (chain.length >= 2 && turn(chain.at(-2)!, chain.at(-1)!, point) <= 0) chain.pop();
      chain.push(point);
    }
    chain.pop();
    return chain;
  };
  return [...half(sorted), ...half(sorted.toReversed())];
}

function turn(a: Point, b: Point, c: Point): number {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

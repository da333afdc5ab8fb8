/**
 * Connected regions of a probability map above a threshold (8 neighbours), each with its outline and mean
 * probability.
 */
export type Point = readonly [x: number, y: number];

export interface Core {
  /** Left and right end of each row, as corners of pixels: enough for the convex hull. */
  outline: Point[];
  meanProbability: number;
}

export function connectedCores(map: { width: number; height: number; data: Float32Array; threshold: number }): Core[] {
  const { width, height, data, threshold } = map;
  const seen = new Uint8Array(width * height);
  const cores: Core[] = [];
  const pending: number[] = [];
  for (let start = 0; start < data.length; start++) {
    if (seen[start] === 1 || !(data[start]! > threshold)) continue;
    const ends = new Map<number, { left: number; right: number }>();
    let total = 0;
    let count = 0;
    seen[start] = 1;
    pending.push(start);
    for (let pixel = pending.pop(); pixel !== undefined; pixel = pending.pop()) {
      const [x, y] = [pixel % width, Math.floor(pixel / width)];
      total += data[pixel]!;
      count += 1;
      const row = ends.get(y);
      if (row === undefined) ends.set(y, { left: x, right: x });
      else if (x < row.left) row.left = x;
      else if (x > row.right) row.right = x;
      for (let nextY = Math.max(0, y - 1); nextY <= Math.min(height - 1, y + 1); nextY++) {
        for (let nextX = Math.max(0, x - 1); nextX <= Math.min(width - 1, x + 1); nextX++) {
          const next = nextY * width + nextX;
          if (seen[next] === 1 || !(data[next]! > threshold)) continue;
          seen[next] = 1;
          pending.push(next);
        }
      }
    }
    const outline = [...ends].flatMap(([y, { left, right }]): Point[] => [
      [left, y],
      [right + 1, y],
      [left, y + 1],
      [right + 1, y + 1],
    ]);
    cores.push({ outline, meanProbability: total / count });
  }
  return cores;
}

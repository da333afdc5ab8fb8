/** Orders text boxes as people read: rows from top to bottom, each from left to right. */
import type { Quad } from "@ngpu/protocol/results";

export function inReadingOrder(quads: readonly Quad[]): Quad[] {
  const rows: { centre: number; height: number; boxes: { left: number; quad: Quad }[] }[] = [];
  const measured = quads.map((quad) => {
    const [xs, ys] = [quad.map(([x]) => x), quad.map(([, y]) => y)];
    const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
    return { quad, left: Math.min(...xs), centre: (top + bottom) / 2, height: bottom - top };
  });
  for (const { quad, left, centre, height } of measured.sort((a, b) => a.centre - b.centre)) {
    const row = rows.at(-1);
    const isSameRow = row !== undefined && Math.abs(centre - row.centre) < 0.5 * Math.min(height, row.height);
    if (isSameRow) row.boxes.push({ left, quad });
    else rows.push({ centre, height, boxes: [{ left, quad }] });
  }
  return rows.flatMap(({ boxes }) => boxes.sort((a, b) => a.left - b.left).map(({ quad }) => quad));
}

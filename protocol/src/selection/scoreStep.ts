/** How far a score may move in one epoch, a quarter up or down: contracts/libraries/ScoreStep.sol. */
const maxCu = 2 ** 32 - 1;

export function scoreStep({ formerCu, measuredCu }: { formerCu: number; measuredCu: number }): number {
  const step = Math.max(1, Math.floor(formerCu / 4));
  const lowest = Math.max(1, formerCu - step);
  return Math.max(lowest, Math.min(measuredCu, formerCu + step, maxCu));
}

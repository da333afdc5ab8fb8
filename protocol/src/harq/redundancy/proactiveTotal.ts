/**
 * How many symbols of a block should be under way when feedback would come too late: the smallest n that minimises
 * n × S ÷ rate + RTT × P(fewer than needed of n arrive).
 */
import { failures } from "./failure.ts";

export interface ProactiveOptions {
  readonly needed: number;
  /** Upper bound of the loss estimate. */
  readonly loss: number;
  /** Time that one symbol takes at the path's rate. */
  readonly symbolUs: number;
  readonly rttUs: number;
  /** For messages that someone waits for: at most this probability of another round trip. */
  readonly ceiling?: number;
  /** Ids that there are for this block, those of `needed` included. */
  readonly most: number;
}

const worthRepairing = 0.001;

export function proactiveTotal(options: ProactiveOptions): number {
  const { needed, loss, symbolUs, rttUs, ceiling = 1, most } = options;
  if (needed >= most || loss < worthRepairing || rttUs < 2 * symbolUs) return Math.min(needed, most);
  let best = { total: needed, cost: Infinity };
  const table = failures({ needed, loss, most });
  for (const [extra, failure] of table.entries()) {
    const total = needed + extra;
    const cost = total * symbolUs + rttUs * failure;
    if (cost < best.cost) best = { total, cost };
    if (total * symbolUs > best.cost) break;
  }
  const reaching = table.findIndex((failure) => failure <= ceiling);
  return Math.max(best.total, reaching === -1 ? most : needed + reaching);
}

/**
 * When the next canary is posted and which one, as a pure function: the day's times and choices come from a secret seed,
 * so nobody foresees them and a restart plans the same. Sizes follow those of the network's recent tasks, the largest
 * included, so that no size of task is safe from canaries that the set and the budget reach. A share of them are drills, which try
 * the backup. Unix time, days of UTC.
 */
import { concat, hexToBigInt, keccak256, stringToHex, type Hex } from "viem";

export interface AuditRules {
  perDay: number;
  /** What canaries may cost in a day, at most. */
  budgetUsd6: bigint;
  /** A node that sees an input again may know it. */
  mostUses: number;
  /** Of a hundred canaries so many are drills. */
  drillPercent: number;
}

/** A canary as planning sees it. */
export interface Candidate {
  id: string;
  /** What a task of it can cost at most. */
  mostUsd6: bigint;
  uses: number;
  /** Declared work. */
  workCums: bigint;
}

export interface AuditDue {
  /** Names the time, for ever. */
  slot: string;
  canaryId: string;
  isDrill: boolean;
}

const dayS = 86_400;
/** A time that was missed for so long, because the keeper was away, is not made up for. */
const lateS = 900;

export function planAudit(world: {
  nowS: number;
  seed: Hex;
  rules: AuditRules;
  candidates: readonly Candidate[];
  /** Slots that were used, and what their tasks cost or still may cost. */
  used: ReadonlyMap<string, bigint>;
  /** Declared work of recent tasks, in any order; without any, every canary is as likely. */
  traffic: readonly bigint[];
}): AuditDue | undefined {
  const { nowS, seed, rules, candidates, used, traffic } = world;
  const day = Math.floor(nowS / dayS);
  let leftUsd6 = rules.budgetUsd6;
  for (const [slot, usd6] of used) if (slot.startsWith(`${day}/`)) leftUsd6 -= usd6;
  const affordable = candidates.filter(({ uses, mostUsd6 }) => uses < rules.mostUses && mostUsd6 <= leftUsd6);
  for (let index = 0; index < rules.perDay; index += 1) {
    const slot = `${day}/${index}`;
    const atS = day * dayS + drawn(seed, `${slot} time`, dayS);
    if (nowS < atS || nowS >= atS + lateS || used.has(slot)) continue;
    const size = traffic[drawn(seed, `${slot} size`, traffic.length)];
    const fitting = size === undefined ? affordable : nearest(affordable, size);
    const canary = fitting[drawn(seed, `${slot} canary`, fitting.length)];
    const isDrill = drawn(seed, `${slot} drill`, 100) < rules.drillPercent;
    if (canary !== undefined) return { slot, canaryId: canary.id, isDrill };
  }
  return undefined;
}

/** True from the day after that of the slot. */
export function isPast(slot: string, nowS: number): boolean {
  return Math.floor(nowS / dayS) > Number(slot.split("/")[0]);
}

/** The smallest that are at least as large as `workCums`; the largest there are where none is. */
function nearest(candidates: readonly Candidate[], workCums: bigint): readonly Candidate[] {
  const largest = candidates.reduce((most, candidate) => (candidate.workCums > most ? candidate.workCums : most), 0n);
  const size = candidates.reduce((best, candidate) => {
    return candidate.workCums >= workCums && candidate.workCums < best ? candidate.workCums : best;
  }, largest);
  return candidates.filter((candidate) => candidate.workCums === size);
}

/** From 0 to below `below`; 0 when that is nothing. */
function drawn(seed: Hex, about: string, below: number): number {
  if (below === 0) return 0;
  return Number(hexToBigInt(keccak256(concat([seed, stringToHex(about)]))) % BigInt(below));
}

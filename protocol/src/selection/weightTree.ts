/**
 * Weighted members, of whom one is found by a point on the line of all their weights. Gives every member the position,
 * and every weight the clip, that contracts/libraries/WeightTree.sol gives it; a property test holds the two equal.
 */
export interface WeightedMember {
  member: number;
  /** The member covers [start, start + weight) of the line. */
  start: number;
  weight: number;
}

export interface WeightTree {
  readonly total: number;
  /** Levels of words that the contract reads in a draw. */
  readonly depth: number;
  /** The position the member has or had, and the weight it has now: less than asked where the total would not fit. */
  set(member: number, weight: number): { position: number; weight: number };
  weightOf(member: number): number;
  /** The member that covers `point`; throws a RangeError outside the line. */
  hitAt(point: number): WeightedMember;
}

const lanes = 8;
const maxPositions = lanes ** 7;
const maxTotal = 2 ** 32 - 1;

export function createWeightTree(): WeightTree {
  /** levels[0][i] is the weight at position i, levels[n + 1][i] the sum of the eight of level n from 8 i on. */
  const levels: number[][] = [];
  const members: number[] = [];
  const positionOf = new Map<number, number>();
  const vacant: number[] = [];
  let total = 0;

  function place(member: number): number {
    const position = vacant.pop() ?? members.length;
    if (position === members.length) grow(position);
    members[position] = member;
    positionOf.set(member, position);
    return position;
  }

  function grow(position: number): void {
    if (levels.length > 0 && position < lanes ** levels.length) return;
    levels.push(levels.length === 0 ? [] : [total]);
  }

  function add(position: number, change: number): void {
    let index = position;
    for (const level of levels) {
      level[index] = (level[index] ?? 0) + change;
      index = Math.floor(index / lanes);
    }
    total += change;
  }

  function weightOf(member: number): number {
    const position = positionOf.get(member);
    return position === undefined ? 0 : (levels[0]?.[position] ?? 0);
  }

  return {
    get total() {
      return total;
    },
    get depth() {
      return levels.length;
    },
    weightOf,
    set(member, wanted) {
      const former = weightOf(member);
      const weight = Math.min(wanted, maxTotal - (total - former));
      const known = positionOf.get(member);
      const full = vacant.length === 0 && members.length === maxPositions;
      if (known === undefined && (weight === 0 || full)) return { position: 0, weight: 0 };
      const position = known ?? place(member);
      if (weight === 0) {
        vacant.push(position);
        positionOf.delete(member);
      }
      add(position, weight - former);
      return { position, weight };
    },
    hitAt(point) {
      if (!(point >= 0 && point < total)) throw new RangeError(`no member at ${point} of ${total}`);
      let index = 0;
      let offset = point;
      for (const level of levels.toReversed()) {
        index *= lanes;
        for (let weight = level[index] ?? 0; offset >= weight; weight = level[++index] ?? 0) offset -= weight;
      }
      return { member: members[index] ?? 0, start: point - offset, weight: levels[0]?.[index] ?? 0 };
    },
  };
}

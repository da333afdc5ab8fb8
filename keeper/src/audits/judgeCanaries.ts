/**
 * What a node's canaries make of its quality, as a pure function of all that is known:
 *
 *   quality = (age − penalty) × billing
 *   age      what time alone has earned, a quarter at first
 *   penalty  a quarter of full quality for each wrong result and each failed drill; each right one takes a twentieth of
 *            it back
 *   billing  min(1, what others billed for tasks of the same model and size ÷ what it billed)²
 *
 * Bills of a primary and those of a backup that was tried are judged apart, and the worse counts: a node sees in which
 * of the two it is. Squared, because a node is paid what it bills as often as it is drawn: who bills k times the honest work is drawn
 * 1 ÷ k² as often and earns 1 ÷ k of what an honest node does, for any k above one.
 */
export interface CanaryResult {
  taskId: string;
  nodeId: number;
  /** Equal for tasks of one model and one declared work. */
  size: string;
  isRight: boolean;
  /** Power × duration of the bill, in CU·ms. */
  billedCums: bigint;
  /** It was tried as a backup. One that failed is not right and was not paid: its bill says nothing. */
  drill?: "served" | "failed";
}

export interface Judgement {
  qualityBps: number;
  penaltyBps: number;
  billingBps: number;
  /** What its bills were compared with. */
  pool: CanaryResult[];
}

export const judging = {
  fullBps: 10_000,
  ...{ wrongBps: 2_500, rightBps: 500 },
  /** Newest results of a node that its bills are judged by, and newest of each node and size that make a median. */
  recent: 5,
  /** Fewer other nodes than this are no measure. */
  fewestNodes: 3,
} as const;

/** `history` has the oldest first; `ageBps` is what the node's age has earned. */
export function judgeCanaries(request: {
  history: readonly CanaryResult[];
  nodeId: number;
  ageBps: number;
}): Judgement {
  const { history, nodeId, ageBps } = request;
  const own = history.filter((result) => result.nodeId === nodeId);
  const { fullBps, wrongBps, rightBps } = judging;
  const penaltyBps = own.reduce(
    (sum, { isRight }) => (isRight ? Math.max(0, sum - rightBps) : Math.min(fullBps, sum + wrongBps)),
    0,
  );
  // Of others alone: who bills often must not make its own bills the usual ones.
  const others = history.filter((result) => result.nodeId !== nodeId);
  const roles = [own.filter(({ drill }) => drill === undefined), own.filter(({ drill }) => drill === "served")];
  const bills = roles.map((results) => judgeBilling(others, results.slice(-judging.recent)));
  const billingBps = Math.min(...bills.map((judged) => judged.billingBps));
  const pool = [...new Set(bills.flatMap((judged) => judged.pool))];
  const earnedBps = Math.max(0, ageBps - penaltyBps);
  return { qualityBps: Math.floor((earnedBps * billingBps) / fullBps), penaltyBps, billingBps, pool };
}

function judgeBilling(others: readonly CanaryResult[], recent: readonly CanaryResult[]) {
  const { fullBps, fewestNodes } = judging;
  const pools = new Map<string, CanaryResult[]>();
  let [billed, usual] = [0n, 0n];
  for (const { size, billedCums } of recent) {
    const pool = pools.get(size) ?? poolOf(others, size);
    if (new Set(pool.map(({ nodeId }) => nodeId)).size < fewestNodes) continue;
    pools.set(size, pool);
    billed += billedCums;
    usual += medianOf(pool.map((result) => result.billedCums));
  }
  const isHonest = billed <= usual;
  const billingBps = isHonest ? fullBps : Number((BigInt(fullBps) * usual * usual) / (billed * billed));
  return { billingBps, pool: [...pools.values()].flat() };
}

/** The newest right results of that size, so many of each node that none outvotes the others. */
function poolOf(results: readonly CanaryResult[], size: string): CanaryResult[] {
  const counts = new Map<number, number>();
  return results.toReversed().filter((result) => {
    if (result.size !== size || !result.isRight) return false;
    const count = counts.get(result.nodeId) ?? 0;
    counts.set(result.nodeId, count + 1);
    return count < judging.recent;
  });
}

/** The middle; of an even number the lower of the two. */
function medianOf(values: readonly bigint[]): bigint {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0n;
}

/**
 * What to do for sessions now, as a pure function of the chain at one block, the nodes that are online, and the
 * vouchers that nodes sent. Per session, what fits:
 *   open                   → as many lanes as its payer wants, more to spend where a lane runs short, and no lane for a
 *                            node that is gone or stops
 *   due, or settling       → its vouchers into the batch, one transaction for all sessions
 *   settle window is over  → reclaim its lanes, then finish it
 */
import { u32be } from "@ngpu/protocol/bytes";
import { laneRole } from "@ngpu/protocol/session/sessionStates";
import { concat, keccak256, toHex, type Address, type Hex } from "viem";
import { isDraining, type OnlineNode } from "../keeper/gatewayView.ts";
import type { NodeFacts } from "../keeper/snapshot.ts";
import type { LaneSettlement, SessionAction } from "./sessionAction.ts";
import type { LaneFacts, SessionFacts } from "./sessionSnapshot.ts";
import type { ShelvedVoucher, VoucherShelf } from "./voucherShelf.ts";

export interface SessionTiming {
  /** A node that was not heard of for so long gets no lane. */
  silentMs: number;
  /** A node that was not heard of for so long loses its lane, where another can take it. */
  goneMs: number;
  /** A voucher is settled at the latest after so long. */
  settleAfterMs: number;
}

export const sessionTiming: SessionTiming = { silentMs: 2_000, goneMs: 30_000, settleAfterMs: 600_000 };

/** What a transaction takes well within any block: about 16 KiB of records beside their segments. */
const mostRecords = 4_096;
const mostSegments = 256;
const bytesPerRecord = 4;

interface World {
  sessions: readonly SessionFacts[];
  nodes: ReadonlyMap<number, OnlineNode>;
  facts: ReadonlyMap<number, NodeFacts>;
  vouchers: Pick<VoucherShelf, "following">;
  chainTimeS: number;
  nowMs: number;
  /** Since when the keeper sees what gateways list: before that no node counts as gone. */
  watchingSinceMs: number;
  timing: SessionTiming;
}

export function planSessions(request: Omit<World, "timing"> & { timing?: SessionTiming }): SessionAction[] {
  const world: World = { timing: sessionTiming, ...request };
  const lanesOf = new Map<number, number>();
  for (const { lanes } of world.sessions) {
    for (const { nodeId, isActive } of lanes) if (isActive) lanesOf.set(nodeId, (lanesOf.get(nodeId) ?? 0) + 1);
  }
  const actions = world.sessions.flatMap((session) => {
    if (world.chainTimeS < session.closesAtS) return planLanes(world, session, lanesOf);
    return world.chainTimeS > session.settleUntilS ? planEnd(session) : [];
  });
  const settlements = planBatch(world);
  return settlements.length > 0 ? [...actions, { kind: "settleSessions", settlements }] : actions;
}

function planLanes(world: World, session: SessionFacts, lanesOf: Map<number, number>): SessionAction[] {
  const { sessionId, lanes, minReplicas, maxReplicas } = session;
  const active = lanes.filter(({ isActive }) => isActive);
  const gone = active.filter(({ nodeId }) => isGone(world, nodeId));
  const candidates = candidatesFor(world, session, lanesOf);
  const released = gone.slice(0, candidates.length);
  const places = Math.min(maxReplicas, minReplicas) - active.length + released.length;
  const chosen = candidates.slice(0, Math.max(0, places));
  const share = session.putInUsd6 / BigInt(2 * maxReplicas);
  const hasPrimary = active.length > released.length;
  let freeUsd6 = session.freeUsd6;

  const assigned = chosen.flatMap((nodeId, index): SessionAction[] => {
    const before = lanes.find((lane) => lane.nodeId === nodeId)?.allotmentUsd6 ?? 0n;
    const moreUsd6 = share < freeUsd6 ? share : freeUsd6;
    if (moreUsd6 === 0n) return [];
    freeUsd6 -= moreUsd6;
    lanesOf.set(nodeId, (lanesOf.get(nodeId) ?? 0) + 1);
    const role = index === 0 && !hasPrimary ? laneRole.primary : laneRole.backup;
    return [{ kind: "assignReplica", sessionId, nodeId, role, allotmentUsd6: before + moreUsd6 }];
  });
  const raised = active.flatMap((lane): SessionAction[] => {
    const moreUsd6 = (freeUsd6 + 1n) / 2n;
    if (moreUsd6 === 0n || !runsShort(world, session, lane)) return [];
    freeUsd6 -= moreUsd6;
    const role = lane.nodeId === active[0]?.nodeId ? laneRole.primary : laneRole.backup;
    return [{ kind: "assignReplica", sessionId, nodeId: lane.nodeId, role, allotmentUsd6: lane.allotmentUsd6 + moreUsd6 }];
  });
  const ended = released.map(({ nodeId }): SessionAction => ({ kind: "releaseReplica", sessionId, nodeId }));
  return [...ended, ...assigned, ...raised];
}

/** Three quarters are signed away. */
function runsShort(world: World, session: SessionFacts, lane: LaneFacts): boolean {
  const signedUsd6 = vouchersOf(world, session, lane).at(-1)?.cumulativeUsd6 ?? lane.paidUsd6;
  return signedUsd6 * 4n > lane.allotmentUsd6 * 3n;
}

/** Or about to be. */
function isGone({ nodes, nowMs, watchingSinceMs, timing }: World, nodeId: number): boolean {
  const node = nodes.get(nodeId);
  if (node !== undefined && isDraining(node)) return true;
  const heardMs = node?.heardMs ?? -Infinity;
  return nowMs - Math.max(heardMs, watchingSinceMs) > timing.goneMs;
}

/** Online, eligible, with the model and without a lane here; those with the fewest lanes first, then by hash. */
function candidatesFor(world: World, session: SessionFacts, lanesOf: Map<number, number>): number[] {
  const { nodes, facts, nowMs, timing } = world;
  const taken = new Set(session.lanes.filter(({ isActive }) => isActive).map(({ nodeId }) => nodeId));
  const owners = new Set<Address | undefined>([...taken].map((nodeId) => facts.get(nodeId)?.owner));
  const fit = [...nodes.values()].filter((node) => {
    const { nodeId, models, heardMs } = node;
    const isThere = !isDraining(node) && nowMs - heardMs <= timing.silentMs && models.includes(session.modelId);
    return isThere && facts.get(nodeId)?.isEligible === true && !taken.has(nodeId);
  });
  const rank = (nodeId: number): Hex => keccak256(concat([session.sessionId, toHex(u32be(nodeId))]));
  const isForeign = (nodeId: number): number => Number(!owners.has(facts.get(nodeId)?.owner));
  return fit
    .map(({ nodeId }) => nodeId)
    .sort(
      (a, b) =>
        isForeign(b) - isForeign(a) ||
        (lanesOf.get(a) ?? 0) - (lanesOf.get(b) ?? 0) ||
        (rank(a) < rank(b) ? -1 : 1),
    );
}

function planEnd({ sessionId, lanes }: SessionFacts): SessionAction[] {
  const left = lanes.filter(({ isReclaimed }) => !isReclaimed);
  if (left.length === 0) return [{ kind: "finishSession", sessionId }];
  return left.map(({ nodeId }) => ({ kind: "reclaimLane", sessionId, nodeId }));
}

function vouchersOf({ vouchers }: World, { sessionId, signers }: SessionFacts, { nodeId, head }: LaneFacts): ShelvedVoucher[] {
  return vouchers.following({ sessionId, nodeId, head, signers });
}

/** When one lane is due, the others whose session is closing or that are due as well come along, by node. */
function planBatch(world: World): LaneSettlement[] {
  const due = world.sessions.flatMap((session) =>
    session.lanes.flatMap((lane) => {
      const waiting = vouchersOf(world, session, lane);
      return isDue(world, session, lane, waiting) ? [{ sessionId: session.sessionId, nodeId: lane.nodeId, waiting }] : [];
    }),
  );
  let records = 0;
  let segments = 0;
  return due
    .sort((a, b) => a.nodeId - b.nodeId || (a.sessionId < b.sessionId ? -1 : 1))
    .flatMap(({ sessionId, nodeId, waiting }) => {
      const taken: ShelvedVoucher[] = [];
      for (const voucher of waiting) {
        records += (voucher.bills.length - 2) / 2 / bytesPerRecord;
        segments += 1;
        if (records > mostRecords || segments > mostSegments) break;
        taken.push(voucher);
      }
      const last = taken.at(-1);
      if (last === undefined) return [];
      const { signature } = last;
      return [{ sessionId, nodeId, segments: taken.map(({ bills, receiptsRoot }) => ({ bills, receiptsRoot })), signature }];
    });
}

function isDue(world: World, session: SessionFacts, lane: LaneFacts, waiting: readonly ShelvedVoucher[]): boolean {
  const [oldest] = waiting;
  const newest = waiting.at(-1);
  if (oldest === undefined || newest === undefined || world.chainTimeS > session.settleUntilS) return false;
  if (world.chainTimeS >= session.closesAtS || !lane.isActive) return true;
  const isLarge = (newest.cumulativeUsd6 - lane.paidUsd6) * 2n > lane.allotmentUsd6;
  return isLarge || waiting.length >= mostSegments / 2 || world.nowMs - oldest.takenMs > world.timing.settleAfterMs;
}

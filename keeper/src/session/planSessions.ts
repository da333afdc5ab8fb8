/**
 * What to do for sessions now, as a pure function of the chain at one block, the nodes that are online, and the
 * vouchers that nodes sent. Per session, what fits:
 *   open                   → as many lanes as its payer wants, more to spend where a lane runs short, and no lane for a
 *                            node that is gone or stops
 *   due, or settling       → its vouchers into the batch, one transaction for all sessions
 *   payer withholds        → claim the lane's floor, and burn what no voucher covers a settle window later
 *   lane's window is over  → reclaim it; all of them: finish the session
 */
import { u32be } from "@ngpu/protocol/bytes";
import { isClaimDue } from "@ngpu/protocol/session/floorRule";
import { floorState, laneRole } from "@ngpu/protocol/session/sessionStates";
import { concat, isAddressEqual, keccak256, toHex, type Address, type Hex } from "viem";
import { isDraining, type OnlineNode } from "../keeper/gatewayView.ts";
import type { NodeFacts } from "../keeper/snapshot.ts";
import type { ClaimShelf, ShelvedClaim } from "./claimShelf.ts";
import type { LaneSettlement, SessionAction } from "./sessionAction.ts";
import type { LaneFacts, SessionFacts } from "./sessionSnapshot.ts";
import type { ShelvedVoucher, VoucherShelf } from "./voucherShelf.ts";

export interface SessionTiming {
  /** A node that was not heard of for so long gets no lane. */
  silentMs: number;
  /** A node that was not heard of for so long loses its lane, where another can take it. */
  goneMs: number;
  /** A voucher waits so long for more money on its lane, and longer while it does not pay for its gas. */
  settleAfterMs: number;
  /** Before a session closes so long, everything is settled. */
  settleAheadS: number;
  /** What a lane must owe to be settled before its session ends; from there on all of it is settled. */
  settleMinUsd6: bigint;
}

/**
 * A lane costs a settlement about 150,000 gas at most. At 0.04 gwei and 3,000 dollars for the chain's coin these are
 * about two cents; a deployment on a dearer chain sets more.
 */
export const sessionTiming: SessionTiming = {
  ...{ silentMs: 2_000, goneMs: 30_000, settleAfterMs: 600_000 },
  ...{ settleAheadS: 60, settleMinUsd6: 20_000n },
};

/** What a transaction takes well within any block: about 16 KiB of records beside their segments. */
const mostRecords = 4_096;
const mostSegments = 256;
const bytesPerRecord = 4;

interface World {
  sessions: readonly SessionFacts[];
  nodes: ReadonlyMap<number, OnlineNode>;
  facts: ReadonlyMap<number, NodeFacts>;
  vouchers: Pick<VoucherShelf, "following">;
  claims: Pick<ClaimShelf, "of">;
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
  const actions = world.sessions.flatMap((session) => [
    ...(world.chainTimeS < session.closesAtS ? planLanes(world, session, lanesOf) : []),
    ...session.lanes.flatMap((lane) => planFloor(world, session, lane)),
    ...planEnd(world, session),
  ]);
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

/** Vouchers come first: only what none of them covers is claimed or burned. */
function planFloor(world: World, session: SessionFacts, lane: LaneFacts): SessionAction[] {
  const { sessionId, closesAtS, settleUntilS } = session;
  const { nodeId, floor, burnableAtS } = lane;
  const { chainTimeS: nowS } = world;
  const settleWindowS = settleUntilS - closesAtS;
  if (nowS < settleUntilS && vouchersOf(world, session, lane).length > 0) return [];
  if (floor === floorState.claimed) {
    const isBurnable = nowS >= burnableAtS && nowS < burnableAtS + settleWindowS;
    return isBurnable ? [{ kind: "burnFloor", sessionId, nodeId }] : [];
  }
  const claim = claimOn(world, session, lane);
  if (claim === undefined || claim.seq !== lane.seq + 1n) return [];
  return [{ kind: "claimFloor", sessionId, nodeId, receipts: claim.receipts }];
}

/** What the lane's node shows, once the payer counts as withholding. */
function claimOn(world: World, session: SessionFacts, lane: LaneFacts): ShelvedClaim | undefined {
  const { sessionId, closesAtS, settleUntilS } = session;
  if (lane.floor !== floorState.unclaimed || lane.isReclaimed) return undefined;
  const claim = world.claims.of({ sessionId, nodeId: lane.nodeId });
  const oldest = claim?.receipts[0]?.message;
  if (oldest === undefined) return undefined;
  const oldestMs = oldest.startMs + BigInt(oldest.durationMs);
  const settleWindowS = settleUntilS - closesAtS;
  return isClaimDue({ oldestMs, nowS: world.chainTimeS, closesAtS, settleWindowS }) ? claim : undefined;
}

function planEnd(world: World, session: SessionFacts): SessionAction[] {
  const { sessionId, lanes, settleUntilS } = session;
  const isOver = world.chainTimeS > settleUntilS;
  // Nodes repeat a voucher that waits within seconds, so a keeper that has just begun may not know of it.
  const isWatched = world.nowMs - world.watchingSinceMs > world.timing.goneMs;
  const left = lanes.filter(({ isReclaimed }) => !isReclaimed);
  if (isOver && left.length === 0) return [{ kind: "finishSession", sessionId }];
  return left
    .filter((lane) => world.chainTimeS > reclaimableAtS(session, lane))
    .filter((lane) => isOver || (isWatched && vouchersOf(world, session, lane).length === 0))
    .map(({ nodeId }) => ({ kind: "reclaimLane", sessionId, nodeId }));
}

/** As the contract has it: after the session or the lane itself, and not before a claim has burned or lapsed. */
function reclaimableAtS({ closesAtS, settleUntilS }: SessionFacts, lane: LaneFacts): number {
  const releasedAtS = lane.releasedAtS === 0 ? settleUntilS : Math.min(lane.releasedAtS, settleUntilS);
  if (lane.floor !== floorState.claimed) return releasedAtS;
  return Math.max(releasedAtS, lane.burnableAtS + settleUntilS - closesAtS);
}

function vouchersOf(world: World, session: SessionFacts, lane: LaneFacts): ShelvedVoucher[] {
  const { sessionId, priceUsd6PerGcums } = session;
  return world.vouchers.following({ ...lane, sessionId, priceUsd6PerGcums, signers: signersOf(world, session) });
}

/** Keys whose vouchers count now. */
function signersOf({ chainTimeS }: World, { signer, former }: SessionFacts): Address[] {
  return [signer, ...(former !== undefined && chainTimeS < former.untilS ? [former.signer] : [])];
}

/** When one lane is due, the others whose session is closing or that are due as well come along, by node. */
function planBatch(world: World): LaneSettlement[] {
  const due = world.sessions.flatMap((session) =>
    session.lanes.flatMap((lane) => {
      const waiting = vouchersOf(world, session, lane);
      if (!isDue(world, session, lane, waiting)) return [];
      return [{ sessionId: session.sessionId, nodeId: lane.nodeId, signers: signersOf(world, session), waiting }];
    }),
  );
  let records = 0;
  let segments = 0;
  return due
    .sort((a, b) => a.nodeId - b.nodeId || (a.sessionId < b.sessionId ? -1 : 1))
    .flatMap(({ sessionId, nodeId, signers, waiting }) => {
      const taken: ShelvedVoucher[] = [];
      for (const voucher of waiting) {
        records += (voucher.bills.length - 2) / 2 / bytesPerRecord;
        segments += 1;
        if (records > mostRecords || segments > mostSegments) break;
        taken.push(voucher);
      }
      // Cut in the middle, it must still end where a good key signed.
      const isGood = ({ signer }: ShelvedVoucher): boolean => signers.some((good) => isAddressEqual(good, signer));
      taken.splice(taken.findLastIndex(isGood) + 1);
      const last = taken.at(-1);
      if (last === undefined) return [];
      const { signature } = last;
      return [{ sessionId, nodeId, segments: taken.map(({ bills, receiptsRoot }) => ({ bills, receiptsRoot })), signature }];
    });
}

function isDue(world: World, session: SessionFacts, lane: LaneFacts, waiting: readonly ShelvedVoucher[]): boolean {
  const [oldest] = waiting;
  const newest = waiting.at(-1);
  if (oldest === undefined || newest === undefined || world.chainTimeS >= session.settleUntilS) return false;
  const { settleAheadS, settleMinUsd6, settleAfterMs } = world.timing;
  if (world.chainTimeS >= session.closesAtS - settleAheadS || !lane.isActive) return true;
  if (lane.floor === floorState.claimed || claimOn(world, session, lane) !== undefined) return true;
  if (waiting.length >= mostSegments / 2) return true;
  const owedUsd6 = newest.cumulativeUsd6 - lane.paidUsd6;
  if (owedUsd6 < settleMinUsd6) return false;
  return owedUsd6 * 2n > lane.allotmentUsd6 || world.nowMs - oldest.takenMs > settleAfterMs;
}

/** The session rail at one block: every session that is not finished, with its lanes. */
import type { Deployment } from "@ngpu/protocol/deployment";
import { sessionSettlementAbi } from "@ngpu/protocol/generated/abi/sessionSettlement";
import { laneState, sessionState } from "@ngpu/protocol/session/sessionStates";
import { formatLog, parseEventLogs, zeroAddress, type Address, type Hex, type PublicClient } from "viem";
import { inBatches } from "../chain/inBatches.ts";
import { createLogCursor } from "../chain/logCursor.ts";
import type { Head } from "../chain/taskFollower.ts";

export interface LaneFacts {
  nodeId: number;
  isActive: boolean;
  isReclaimed: boolean;
  /** Chain time from which what a lane that was released did not spend is free; 0 of one that was not. */
  releasedAtS: number;
  /** State of its floor; of a claim, the number up to which it counts and the chain time from which it burns. */
  floor: number;
  claimSeq: bigint;
  burnableAtS: number;
  allotmentUsd6: bigint;
  paidUsd6: bigint;
  powerCu: number;
  /** Records that are settled, their weight, and the head after them. */
  seq: bigint;
  weight: bigint;
  head: Hex;
}

export interface SessionFacts {
  sessionId: Hex;
  modelId: Hex;
  payer: Address;
  priceUsd6PerGcums: bigint;
  signer: Address;
  /** The key before it; its vouchers count until then. */
  former: { signer: Address; untilS: number } | undefined;
  minReplicas: number;
  putInUsd6: bigint;
  freeUsd6: bigint;
  maxReplicas: number;
  /** Chain time from which it takes no assignments, and from which it takes no vouchers. */
  closesAtS: number;
  settleUntilS: number;
  lanes: LaneFacts[];
}

export interface SessionReader {
  /** Rejects when the chain does not answer or the block is gone. */
  read(head: Head): Promise<SessionFacts[]>;
  /** The chain is another one. */
  forget(): void;
}

export function createSessionReader(options: { chain: PublicClient; deployment: Deployment }): SessionReader {
  const { chain, deployment } = options;
  const settlement = { address: deployment.sessionSettlement, abi: sessionSettlementAbi } as const;
  const firstBlock = BigInt(deployment.deploymentBlock);
  const cursor = createLogCursor({ chain, addresses: [settlement.address], firstBlock });
  /** Nodes that ever had a lane, by session. */
  const open = new Map<Hex, Set<number>>();
  let settleWindowS: number | undefined;
  /** The last reading, while no event of the rail has come since: everything that changes here leaves one. */
  let newest: SessionFacts[] | undefined;

  async function follow(head: Head): Promise<void> {
    const { isAnew, logs } = await cursor.readOn(head);
    if (isAnew) open.clear();
    if (isAnew || logs.length > 0) newest = undefined;
    const names = ["SessionOpened", "ReplicaAssigned"] as const;
    const parsed = parseEventLogs({
      abi: sessionSettlementAbi,
      eventName: [...names],
      logs: logs.map((log) => formatLog(log)),
      strict: true,
    });
    for (const { eventName, args } of parsed) {
      const lanes = open.get(args.sessionId) ?? new Set();
      if (eventName === "SessionOpened") open.set(args.sessionId, lanes);
      else if (open.has(args.sessionId)) lanes.add(args.nodeId);
    }
  }

  async function read(head: Head): Promise<SessionFacts[]> {
    await follow(head);
    if (newest !== undefined) return newest;
    settleWindowS ??= await chain.readContract({ ...settlement, functionName: "settleWindow" });
    const at = { blockNumber: head.number, allowFailure: false, deployless: true } as const;
    const sessionIds = [...open.keys()];
    const sessions = await inBatches(sessionIds, (batch) =>
      chain.multicall({
        ...at,
        contracts: batch.map((sessionId) => ({ ...settlement, functionName: "session", args: [sessionId] }) as const),
      }),
    );
    sessionIds.forEach((sessionId, index) => {
      // Never Finished before it is final: a session of which the end is taken back is read anew with all others.
      if (sessions[index]?.terms.state === sessionState.finished) open.delete(sessionId);
    });
    const places = sessionIds.flatMap((sessionId) => [...(open.get(sessionId) ?? [])].map((nodeId) => ({ sessionId, nodeId })));
    const lanes = await inBatches(places, (batch) =>
      chain.multicall({
        ...at,
        contracts: batch.map(
          ({ sessionId, nodeId }) => ({ ...settlement, functionName: "lane", args: [sessionId, nodeId] }) as const,
        ),
      }),
    );
    newest = sessionIds.flatMap((sessionId, index) => {
      const session = sessions[index];
      if (session === undefined || session.terms.state !== sessionState.open) return [];
      const own = places.flatMap(({ sessionId: of, nodeId }, place) => {
        const lane = lanes[place];
        return of !== sessionId || lane === undefined ? [] : [laneFacts(nodeId, lane)];
      });
      return [sessionFacts(sessionId, session, settleWindowS ?? 0, own)];
    });
    return newest;
  }

  return {
    read,
    forget() {
      open.clear();
      cursor.forget();
      [settleWindowS, newest] = [undefined, undefined];
    },
  };
}

interface SessionRecord {
  terms: { signer: Address; payer: Address; closesAt: number; priceUsd6PerGcums: bigint };
  purse: { freeUsd6: bigint; putInUsd6: bigint; minReplicas: number; maxReplicas: number };
  modelId: Hex;
  formerSigner: Address;
  formerUntil: number;
}

function sessionFacts(sessionId: Hex, session: SessionRecord, settleWindowS: number, lanes: LaneFacts[]): SessionFacts {
  const { terms, purse, modelId, formerSigner, formerUntil } = session;
  const { freeUsd6, putInUsd6, minReplicas, maxReplicas } = purse;
  return {
    ...{ sessionId, modelId, payer: terms.payer, priceUsd6PerGcums: terms.priceUsd6PerGcums, signer: terms.signer },
    former: formerSigner === zeroAddress ? undefined : { signer: formerSigner, untilS: formerUntil },
    ...{ freeUsd6, putInUsd6, minReplicas, maxReplicas },
    closesAtS: terms.closesAt,
    settleUntilS: terms.closesAt + settleWindowS,
    lanes,
  };
}

interface LaneRecord {
  money: { paidUsd6: bigint; allotmentUsd6: bigint; seq: number; powerCu: number; weight: bigint };
  head: Hex;
  state: number;
  releasedAt: number;
  floor: number;
  claimSeq: number;
  burnableAt: number;
}

function laneFacts(nodeId: number, { money, head, state, ...record }: LaneRecord): LaneFacts {
  const { paidUsd6, allotmentUsd6, seq, powerCu, weight } = money;
  const isActive = state === laneState.active;
  const isReclaimed = state === laneState.reclaimed;
  const releasedAtS = state === laneState.releasing ? record.releasedAt : 0;
  const floor = { floor: record.floor, claimSeq: BigInt(record.claimSeq), burnableAtS: record.burnableAt };
  const paid = { allotmentUsd6, paidUsd6, powerCu, seq: BigInt(seq), weight };
  return { nodeId, isActive, isReclaimed, releasedAtS, ...floor, ...paid, head };
}

/** What the chain says about a lane and its session: all that a node must know before it works for them. */
import type { Deployment } from "@ngpu/protocol/deployment";
import { NgpuError } from "@ngpu/protocol/errors";
import { sessionSettlementAbi } from "@ngpu/protocol/generated/abi/sessionSettlement";
import { floorState, laneState, sessionState } from "@ngpu/protocol/session/sessionStates";
import type { AgentChain } from "../agent/chain.ts";
import { zeroAddress, type Address, type Hex, type PublicClient } from "viem";

export interface LaneFacts {
  /** The session takes work and the lane is active. */
  isServing: boolean;
  /** No voucher can be settled any more. */
  isOver: boolean;
  /** Keys whose vouchers count; the newest first. */
  signers: Address[];
  modelId: Hex;
  priceUsd6PerGcums: bigint;
  powerCu: number;
  allotmentUsd6: bigint;
  /** Chain time in seconds: when this was read, when the session closes, and for how long vouchers count then. */
  nowS: number;
  closesAtS: number;
  settleWindowS: number;
  /** The node's receipts can be shown to have their worth burned; once a lane. */
  isClaimable: boolean;
  /** Number of records that are settled, and the head and weight with them. */
  seq: bigint;
  head: Hex;
  weight: bigint;
}

export interface LaneFactsReader {
  /** Undefined where there is no such lane. Rejects with CHAIN_UNREACHABLE. */
  read(place: { sessionId: Hex; nodeId: number }): Promise<LaneFacts | undefined>;
  /** Number of records that are settled and stay so. Rejects with CHAIN_UNREACHABLE. */
  readFinalSeq(place: { sessionId: Hex; nodeId: number }): Promise<bigint>;
}

export function createLaneFactsReader(options: {
  client: PublicClient;
  deployment: Deployment;
  chain: Pick<AgentChain, "finalBlock">;
}): LaneFactsReader {
  const { client, deployment, chain } = options;
  const settlement = { address: deployment.sessionSettlement, abi: sessionSettlementAbi } as const;
  let settleWindowS: number | undefined;

  async function readFinalSeq({ sessionId, nodeId }: { sessionId: Hex; nodeId: number }): Promise<bigint> {
    const blockNumber = await chain.finalBlock();
    if (blockNumber < BigInt(deployment.deploymentBlock)) return 0n;
    try {
      const args = [sessionId, nodeId] as const;
      const { money } = await client.readContract({ ...settlement, functionName: "lane", args, blockNumber });
      return BigInt(money.seq);
    } catch (cause) {
      throw new NgpuError("CHAIN_UNREACHABLE", {}, { cause });
    }
  }

  async function read({ sessionId, nodeId }: { sessionId: Hex; nodeId: number }): Promise<LaneFacts | undefined> {
    try {
      settleWindowS ??= await client.readContract({ ...settlement, functionName: "settleWindow" });
      const { timestamp, number: blockNumber } = await client.getBlock();
      const [session, lane] = await Promise.all([
        client.readContract({ ...settlement, functionName: "session", args: [sessionId], blockNumber }),
        client.readContract({ ...settlement, functionName: "lane", args: [sessionId, nodeId], blockNumber }),
      ]);
      const { terms, formerSigner, formerUntil, modelId } = session;
      const { money, head, state, floor } = lane;
      if (terms.state === sessionState.none || state === laneState.none) return undefined;
      const nowS = Number(timestamp);
      const isFormerGood = formerSigner !== zeroAddress && nowS < formerUntil;
      return {
        isServing: terms.state === sessionState.open && nowS < terms.closesAt && state === laneState.active,
        isOver: terms.state === sessionState.finished || nowS > terms.closesAt + settleWindowS,
        ...{ nowS, closesAtS: terms.closesAt, settleWindowS },
        isClaimable: floor === floorState.unclaimed && state !== laneState.reclaimed,
        signers: [terms.signer, ...(isFormerGood ? [formerSigner] : [])],
        modelId,
        priceUsd6PerGcums: terms.priceUsd6PerGcums,
        powerCu: money.powerCu,
        allotmentUsd6: money.allotmentUsd6,
        seq: BigInt(money.seq),
        head,
        weight: money.weight,
      };
    } catch (cause) {
      throw new NgpuError("CHAIN_UNREACHABLE", {}, { cause });
    }
  }

  return { read, readFinalSeq };
}

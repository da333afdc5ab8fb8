/** What the chain says about a lane and its session: all that a node must know before it works for them. */
import type { Deployment } from "@ngpu/protocol/deployment";
import { NgpuError } from "@ngpu/protocol/errors";
import { sessionSettlementAbi } from "@ngpu/protocol/generated/abi/sessionSettlement";
import { laneState, sessionState } from "@ngpu/protocol/session/sessionStates";
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
  /** Number of records that are settled, and the head and weight with them. */
  seq: bigint;
  head: Hex;
  weight: bigint;
}

export type ReadLaneFacts = (place: { sessionId: Hex; nodeId: number }) => Promise<LaneFacts | undefined>;

/** Reads undefined where there is no such lane. Rejects with CHAIN_UNREACHABLE. */
export function createLaneFactsReader(options: { client: PublicClient; deployment: Deployment }): ReadLaneFacts {
  const { client, deployment } = options;
  const settlement = { address: deployment.sessionSettlement, abi: sessionSettlementAbi } as const;
  let settleWindowS: number | undefined;

  return async ({ sessionId, nodeId }) => {
    try {
      settleWindowS ??= await client.readContract({ ...settlement, functionName: "settleWindow" });
      const { timestamp, number: blockNumber } = await client.getBlock();
      const [session, lane] = await Promise.all([
        client.readContract({ ...settlement, functionName: "session", args: [sessionId], blockNumber }),
        client.readContract({ ...settlement, functionName: "lane", args: [sessionId, nodeId], blockNumber }),
      ]);
      const { terms, formerSigner, formerUntil, modelId } = session;
      const { money, head, state } = lane;
      if (terms.state === sessionState.none || state === laneState.none) return undefined;
      const nowS = Number(timestamp);
      const isFormerGood = formerSigner !== zeroAddress && nowS < formerUntil;
      return {
        isServing: terms.state === sessionState.open && nowS < terms.closesAt && state === laneState.active,
        isOver: terms.state === sessionState.finished || nowS > terms.closesAt + settleWindowS,
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
  };
}

"use client";
/** A session and its lanes by the contract's word, which decides what may be done now. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Address, Hex } from "viem";
import { useChain } from "../../hooks/useChain.ts";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import type { LaneTimes } from "../../lib/session/laneReclaim.ts";
import { nextPollMs } from "../../lib/pollMs.ts";

export interface LaneOnChain extends LaneTimes {
  nodeId: number;
  paidUsd6: bigint;
  allotmentUsd6: bigint;
}

export interface SessionOnChain {
  payer: Address;
  /** The contract's SessionState. */
  state: number;
  closesAt: bigint;
  signer: Address;
  /** Chain time in seconds until which a former signer's vouchers count; 0 if there was none. */
  formerUntil: bigint;
  freeUsd6: bigint;
  /** Lanes whose allotment was not reclaimed yet. */
  lanesLeft: number;
  lanes: LaneOnChain[];
}

export function useSessionOnChain(sessionId: Hex, nodeIds: readonly number[]): SessionOnChain | undefined {
  const { deployment, chainId } = useRuntime();
  const chain = useChain();
  const answer = useQuery({
    queryKey: ["sessionOnChain", chainId, sessionId, nodeIds.join()],
    placeholderData: keepPreviousData,
    queryFn: async (): Promise<SessionOnChain> => {
      const { sessionSettlementAbi: abi } = await import("@ngpu/protocol/generated/abi/sessionSettlement");
      const settlement = { address: deployment.sessionSettlement, abi } as const;
      const readLane = async (nodeId: number): Promise<LaneOnChain> => {
        const lane = await chain.readContract({ ...settlement, functionName: "lane", args: [sessionId, nodeId] });
        const { money, state, releasedAt, floor, burnableAt } = lane;
        const { paidUsd6, allotmentUsd6 } = money;
        return { nodeId, state, releasedAt, floor, burnableAt, paidUsd6, allotmentUsd6 };
      };
      const [{ terms, purse, formerUntil }, ...lanes] = await Promise.all([
        chain.readContract({ ...settlement, functionName: "session", args: [sessionId] }),
        ...nodeIds.map(readLane),
      ]);
      const { payer, state, signer, closesAt } = terms;
      return {
        ...{ payer, state, signer, closesAt: BigInt(closesAt), formerUntil: BigInt(formerUntil) },
        ...{ freeUsd6: purse.freeUsd6, lanesLeft: purse.lanes, lanes },
      };
    },
    refetchInterval: () => nextPollMs(4_000),
  });
  return answer.data;
}

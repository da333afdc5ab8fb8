"use client";
/** Seconds between the end of a session and the return of its money; fixed when the contract was deployed. */
import { useQuery } from "@tanstack/react-query";
import { useChain } from "./useChain.ts";
import { useRuntime } from "./useRuntime.tsx";

export function useSettleWindow(): bigint | undefined {
  const { deployment } = useRuntime();
  const chain = useChain();
  const answer = useQuery({
    queryKey: ["settleWindow", deployment.sessionSettlement],
    queryFn: async () => {
      const { sessionSettlementAbi: abi } = await import("@ngpu/protocol/generated/abi/sessionSettlement");
      return chain.readContract({ address: deployment.sessionSettlement, abi, functionName: "settleWindow" });
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  return answer.data === undefined ? undefined : BigInt(answer.data);
}

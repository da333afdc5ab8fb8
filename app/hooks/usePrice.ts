"use client";
/**
 * What a task posted now would freeze. The price alone is readable even while the feed is stale; `quotable` says
 * whether a post would succeed.
 */
import { priceOracleAbi } from "@ngpu/protocol/generated/abi/priceOracle";
import { useQuery } from "@tanstack/react-query";
import { BaseError, ContractFunctionRevertedError } from "viem";
import { loadContractWords } from "../lib/contractWords.ts";
import { nextPollMs } from "../lib/pollMs.ts";
import { useChain } from "./useChain.ts";
import { useRuntime } from "./useRuntime.tsx";

export interface Price {
  priceUsd6PerGcums: bigint;
  quotable: boolean;
  /** Why it is not quotable, as it was thrown. */
  reason: unknown;
}

export function usePrice() {
  const { deployment } = useRuntime();
  const chain = useChain();
  const oracle = { address: deployment.priceOracle, abi: priceOracleAbi } as const;
  return useQuery({
    queryKey: ["price", deployment.priceOracle],
    queryFn: async (): Promise<Price> => {
      try {
        const [priceUsd6PerGcums] = await chain.readContract({ ...oracle, functionName: "quote" });
        return { priceUsd6PerGcums, quotable: true, reason: undefined };
      } catch (reason) {
        // Only the contract's refusal says that there is no price; a chain that does not answer says nothing.
        if (!isRevert(reason)) throw reason;
        await loadContractWords();
        const priceUsd6PerGcums = await chain.readContract({ ...oracle, functionName: "priceUsd6PerGcums" });
        return { priceUsd6PerGcums, quotable: false, reason };
      }
    },
    refetchInterval: () => nextPollMs(8_000),
  });
}

function isRevert(error: unknown): boolean {
  return error instanceof BaseError && error.walk((inner) => inner instanceof ContractFunctionRevertedError) !== null;
}

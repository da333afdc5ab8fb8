"use client";
/** What an account holds of the stake token, and what the stake vault may take. */
import { ngpuTokenAbi } from "@ngpu/protocol/generated/abi/ngpuToken";
import { useQuery } from "@tanstack/react-query";
import type { Address } from "viem";
import { nextPollMs } from "../lib/pollMs.ts";
import { useChain } from "./useChain.ts";
import { useRuntime } from "./useRuntime.tsx";

export function useStakeToken(account: Address) {
  const { deployment } = useRuntime();
  const chain = useChain();
  return useQuery({
    queryKey: ["stakeToken", deployment.ngpuToken, account],
    queryFn: async () => {
      const token = { address: deployment.ngpuToken, abi: ngpuTokenAbi } as const;
      const [walletWei, allowanceWei] = await Promise.all([
        chain.readContract({ ...token, functionName: "balanceOf", args: [account] }),
        chain.readContract({ ...token, functionName: "allowance", args: [account, deployment.stakeVault] }),
      ]);
      return { walletWei, allowanceWei };
    },
    refetchInterval: () => nextPollMs(4_000),
  });
}

"use client";
/** The newest block: its number, its time and how far back nothing can change any more. */
import { useQuery } from "@tanstack/react-query";
import { useAnswer } from "./useAnswer.ts";
import { localChainId } from "../lib/chain.ts";
import { finalisedBlock, type ChainHead } from "../lib/finality.ts";
import { pollMs } from "../lib/pollMs.ts";
import { useChain } from "./useChain.ts";
import { useRuntime } from "./useRuntime.tsx";

/** `pending` asks each second; `until` does so as long as that block can still be undone. */
export function useHead({ pending = false, until }: { pending?: boolean; until?: bigint | undefined } = {}) {
  const { chainId } = useRuntime();
  const chain = useChain();
  const query = useQuery({
    queryKey: ["head", chainId],
    queryFn: async (): Promise<ChainHead> => {
      const isLocal = chainId === localChainId;
      const [{ number, timestamp }, other] = await Promise.all([
        chain.getBlock(),
        chain.getBlock(isLocal ? { blockNumber: 0n } : { blockTag: "finalized" }),
      ]);
      const finalisedTag = isLocal ? number : (other.number ?? 0n);
      const finalised = finalisedBlock({ chainId, head: number, finalisedTag });
      return { number, timestamp, finalised, ...(isLocal ? { genesis: other.hash ?? undefined } : {}) };
    },
    refetchInterval: ({ state }) => pollMs(pending || (until !== undefined && (state.data?.finalised ?? 0n) < until)),
  });
  return useAnswer(query);
}

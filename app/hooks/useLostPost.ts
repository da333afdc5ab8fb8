"use client";
/**
 * True when a post that this device sent is not to be found: not mined, not waiting, and long enough ago that every
 * node has heard of it. So it is after a local chain has begun anew.
 */
import { useQuery } from "@tanstack/react-query";
import { TransactionNotFoundError, type Hex } from "viem";
import { nextPollMs } from "../lib/pollMs.ts";
import { useChain } from "./useChain.ts";
import { useRuntime } from "./useRuntime.tsx";

const patienceMs = 20_000;

export function useLostPost(post: { hash: Hex; sentMs: number } | undefined): boolean {
  const { chainId } = useRuntime();
  const chain = useChain();
  const answer = useQuery({
    queryKey: ["lostPost", chainId, post?.hash],
    enabled: post !== undefined,
    queryFn: async (): Promise<boolean> => {
      if (post === undefined || Date.now() - post.sentMs < patienceMs) return false;
      try {
        await chain.getTransaction({ hash: post.hash });
        return false;
      } catch (error) {
        if (error instanceof TransactionNotFoundError) return true;
        throw error;
      }
    },
    refetchInterval: () => nextPollMs(4_000),
  });
  return post !== undefined && answer.data === true;
}

"use client";
/** The client that reads the configured chain, whatever chain the wallet is on. */
import type { PublicClient } from "viem";
import { usePublicClient } from "wagmi";
import { useRuntime } from "./useRuntime.tsx";

export function useChain(): PublicClient {
  const { chainId } = useRuntime();
  const client = usePublicClient({ chainId });
  if (client === undefined) throw new Error(`No client for chain ${chainId}.`);
  return client;
}

/**
 * Reading the chain: one viem client per service, which is proved to serve the configured chain before anything relies
 * on it. `cacheTime: 0` because a cached block number would make a level-triggered loop act on an old world.
 */
import { createPublicClient, defineChain, http, type Chain, type PublicClient } from "viem";
import { NgpuError } from "../src/errors.ts";

/** The chain as viem wants it, for public and wallet clients alike. */
export function chainOf(chainId: number, rpcUrl: string): Chain {
  return defineChain({
    id: chainId,
    name: chainId === 31_337 ? "NGPU local" : `Chain ${chainId}`,
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  });
}

/** A client of the chain. Throws CHAIN_UNREACHABLE when nobody answers and CHAIN_WRONG when another chain does. */
export async function createChain(options: { rpcUrl: string; chainId: number }): Promise<PublicClient> {
  const { rpcUrl, chainId } = options;
  const chain: PublicClient = createPublicClient({
    chain: chainOf(chainId, rpcUrl),
    transport: http(rpcUrl, { retryCount: 3, retryDelay: 100, timeout: 10_000 }),
    cacheTime: 0,
    pollingInterval: 250,
  });
  let found: number;
  try {
    found = await chain.getChainId();
  } catch (cause) {
    throw new NgpuError("CHAIN_UNREACHABLE", { rpcUrl }, { cause });
  }
  if (found !== chainId) throw new NgpuError("CHAIN_WRONG", { expected: chainId, found });
  return chain;
}

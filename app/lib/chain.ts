/** The one chain this dApp talks to, as viem describes chains. */
import { defineChain, type Chain } from "viem";
import type { RuntimeConfig } from "./runtimeConfig.ts";

export const localChainId = 31337;

export function chainOf({ chainId, rpcUrl }: RuntimeConfig): Chain {
  return defineChain({
    id: chainId,
    name: chainId === localChainId ? "NGPU local" : `Chain ${chainId}`,
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
    testnet: chainId === localChainId,
  });
}

/**
 * One cache for chain, gateway and subgraph. What fails is asked again with growing pauses; a hidden tab asks nothing.
 */
import { QueryClient } from "@tanstack/react-query";
import { hashFn } from "wagmi/query";

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // A key may hold a bigint, which JSON alone cannot write.
        queryKeyHashFn: hashFn,
        retry: 2,
        retryDelay: (attempt) => Math.min(8_000, 500 * 2 ** attempt),
        refetchOnWindowFocus: true,
        refetchIntervalInBackground: false,
        staleTime: 1_000,
      },
    },
  });
}

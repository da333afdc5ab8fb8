"use client";
/** A question to the configured subgraph in the query cache. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useAnswer } from "./useAnswer.ts";
import { pollMs } from "../lib/pollMs.ts";
import { querySubgraph, type SubgraphRequest } from "../lib/subgraph/querySubgraph.ts";
import { useRuntime } from "./useRuntime.tsx";

export function useSubgraph<T extends object>(options: {
  key: string;
  query: string;
  variables?: NonNullable<SubgraphRequest["variables"]>;
  /** Asks each second while true, or while true of what was answered. */
  pending?: boolean | ((data: Partial<T> | undefined) => boolean);
  enabled?: boolean;
}) {
  const { subgraphUrl } = useRuntime();
  const { key, query, variables, pending = false, enabled = true } = options;
  const answer = useQuery({
    queryKey: ["subgraph", subgraphUrl, key, variables ?? null],
    queryFn: ({ signal }) =>
      querySubgraph<T>({ url: subgraphUrl, query, signal, ...(variables === undefined ? {} : { variables }) }),
    refetchInterval: ({ state }) => pollMs(typeof pending === "function" ? pending(state.data) : pending),
    placeholderData: keepPreviousData,
    enabled,
  });
  return useAnswer(answer);
}

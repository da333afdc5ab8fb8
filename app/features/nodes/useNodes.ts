"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useAnswer } from "../../hooks/useAnswer.ts";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import { nodeFields, type NodeRow } from "../../lib/subgraph/model.ts";
import { pageAll } from "../../lib/subgraph/pageAll.ts";

const query = `query Nodes($first: Int!, $after: ID!) {
  nodes(first: $first, orderBy: id, orderDirection: asc, where: { id_gt: $after }) { ${nodeFields} }
}`;

export function useNodes() {
  const { subgraphUrl } = useRuntime();
  const answer = useQuery({
    queryKey: ["subgraph", subgraphUrl, "nodes"],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const rows = await pageAll<NodeRow>({ url: subgraphUrl, query, list: "nodes", signal, start: "" });
      return rows.sort((a, b) => Number(a.id) - Number(b.id));
    },
    refetchInterval: 5_000,
  });
  return useAnswer(answer);
}

"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useAnswer } from "../../hooks/useAnswer.ts";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import { nodeFields, type NodeRow } from "../../lib/subgraph/model.ts";
import { pageAll } from "../../lib/subgraph/pageAll.ts";
import { nextPollMs } from "../../lib/pollMs.ts";

const query = `query Nodes($first: Int!, $after: ID!, $block: Block_height) {
  nodes(first: $first, orderBy: id, orderDirection: asc, where: { id_gt: $after }, block: $block) { ${nodeFields} }
  _meta(block: $block) { block { hash } }
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
    refetchInterval: () => nextPollMs(4_000),
  });
  return useAnswer(answer);
}

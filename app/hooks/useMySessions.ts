"use client";
/** Every session that an account pays for, newest first, read page by page along the ids. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Address } from "viem";
import { useAnswer } from "./useAnswer.ts";
import { pageAll } from "../lib/subgraph/pageAll.ts";
import { sessionFields, type SessionRow } from "../lib/subgraph/sessionModel.ts";
import { nextPollMs } from "../lib/pollMs.ts";
import { useRuntime } from "./useRuntime.tsx";

const query = `query MySessions($payer: String!, $first: Int!, $after: Bytes!, $block: Block_height) {
  sessions(first: $first, orderBy: id, orderDirection: asc, where: { payer: $payer, id_gt: $after }, block: $block) {
    ${sessionFields}
  }
  _meta(block: $block) { block { hash } }
}`;

export function useMySessions(account: Address) {
  const { subgraphUrl } = useRuntime();
  const payer = account.toLowerCase();
  const answer = useQuery({
    queryKey: ["subgraph", subgraphUrl, "mySessions", payer],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const rows = await pageAll<SessionRow>({
        url: subgraphUrl,
        query,
        list: "sessions",
        variables: { payer },
        signal,
      });
      return rows.sort((a, b) => Number(b.openedAt) - Number(a.openedAt) || (a.id < b.id ? 1 : -1));
    },
    refetchInterval: () => nextPollMs(4_000),
  });
  return useAnswer(answer);
}

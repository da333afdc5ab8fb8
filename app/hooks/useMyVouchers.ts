"use client";
/**
 * Every voucher that was settled for an account's sessions, page by page along the ids; each stands for many records,
 * so that a period of any length stays readable. Read again when the account's spend has moved.
 */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Address } from "viem";
import { useAnswer } from "./useAnswer.ts";
import { pageAll } from "../lib/subgraph/pageAll.ts";
import { settledVoucherFields, type SettledVoucherRow } from "../lib/subgraph/sessionModel.ts";
import { useRuntime } from "./useRuntime.tsx";
import { useSubgraph } from "./useSubgraph.ts";

const query = `query MyVouchers($payer: String!, $first: Int!, $after: Bytes!, $block: Block_height) {
  sessionEvents(first: $first, orderBy: id, orderDirection: asc, block: $block,
    where: { kind: Settled, id_gt: $after, session_: { payer: $payer } }) { ${settledVoucherFields} }
  _meta(block: $block) { block { hash } }
}`;

const countersQuery = `query MySessionCounters($payer: String!) {
  sessions(first: 1000, orderBy: openedAt, orderDirection: desc, where: { payer: $payer }) { id bills }
}`;

export function useMyVouchers(account: Address) {
  const { subgraphUrl } = useRuntime();
  const payer = account.toLowerCase();
  const counters = useSubgraph<{ sessions: { id: string; bills: string }[] }>({
    key: "mySessionCounters",
    query: countersQuery,
    variables: { payer },
  });
  const bills = counters.data?.sessions?.reduce((sum, session) => sum + BigInt(session.bills), 0n);
  const answer = useQuery({
    queryKey: ["subgraph", subgraphUrl, "myVouchers", payer, bills === undefined ? null : String(bills)],
    enabled: bills !== undefined,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<SettledVoucherRow[]> => {
      if (bills === 0n) return [];
      const variables = { payer };
      return pageAll<SettledVoucherRow>({ url: subgraphUrl, query, list: "sessionEvents", variables, signal });
    },
  });
  const { data, error } = useAnswer(answer);
  return { data, error: error ?? counters.error };
}

"use client";
/** Every task that an account posted, newest first, read page by page along the ids. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Address } from "viem";
import { useAnswer } from "./useAnswer.ts";
import { taskFields, type TaskRow } from "../lib/subgraph/model.ts";
import { pageAll } from "../lib/subgraph/pageAll.ts";
import { openStates } from "../lib/taskState.ts";
import { useRuntime } from "./useRuntime.tsx";

const query = `query MyTasks($payer: String!, $first: Int!, $after: Bytes!) {
  tasks(first: $first, orderBy: id, orderDirection: asc, where: { payer: $payer, id_gt: $after }) { ${taskFields} }
}`;

export function useMyTasks(account: Address | undefined) {
  const { subgraphUrl } = useRuntime();
  const answer = useQuery({
    queryKey: ["subgraph", subgraphUrl, "myTasks", account?.toLowerCase()],
    enabled: account !== undefined,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const variables = { payer: (account as Address).toLowerCase() };
      const rows = await pageAll<TaskRow>({ url: subgraphUrl, query, list: "tasks", variables, signal });
      return rows.sort((a, b) => Number(b.postedAt) - Number(a.postedAt) || (a.id < b.id ? 1 : -1));
    },
    refetchInterval: ({ state }) =>
      state.data?.some((task) => openStates.includes(task.status)) === true ? 1_000 : 5_000,
  });
  return useAnswer(answer);
}

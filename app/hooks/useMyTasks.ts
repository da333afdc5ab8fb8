"use client";
/**
 * Every task that an account posted, newest first, read page by page along the ids. The account's counters are asked
 * each second, which costs little; the list is read again when they moved, and each second while a task is open.
 */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Address } from "viem";
import { useAnswer } from "./useAnswer.ts";
import { taskFields, type TaskRow } from "../lib/subgraph/model.ts";
import { pageAll } from "../lib/subgraph/pageAll.ts";
import { pollMs } from "../lib/pollMs.ts";
import { openStates } from "../lib/taskState.ts";
import { useRuntime } from "./useRuntime.tsx";
import { useSubgraph } from "./useSubgraph.ts";

const query = `query MyTasks($payer: String!, $first: Int!, $after: Bytes!, $block: Block_height) {
  tasks(first: $first, orderBy: id, orderDirection: asc, where: { payer: $payer, id_gt: $after }, block: $block) {
    ${taskFields}
  }
  _meta(block: $block) { block { hash } }
}`;

const countersQuery = `query MyTaskCounters($id: ID!) {
  account(id: $id) { tasksPosted tasksSettled tasksRefunded tasksCancelled }
}`;

interface Counters {
  account: Record<"tasksPosted" | "tasksSettled" | "tasksRefunded" | "tasksCancelled", string> | null;
}

export function useMyTasks(account: Address | undefined) {
  const { subgraphUrl } = useRuntime();
  const payer = account?.toLowerCase();
  const counters = useSubgraph<Counters>({
    key: "myTaskCounters",
    query: countersQuery,
    variables: { id: payer ?? "" },
    pending: true,
    enabled: payer !== undefined,
  });
  const answer = useQuery({
    queryKey: ["subgraph", subgraphUrl, "myTasks", payer, counters.data?.account ?? null],
    enabled: account !== undefined,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const variables = { payer: payer ?? "" };
      const rows = await pageAll<TaskRow>({ url: subgraphUrl, query, list: "tasks", variables, signal });
      return rows.sort((a, b) => Number(b.postedAt) - Number(a.postedAt) || (a.id < b.id ? 1 : -1));
    },
    refetchInterval: ({ state }) => pollMs(state.data?.some((task) => openStates.includes(task.status)) === true),
  });
  return useAnswer(answer);
}

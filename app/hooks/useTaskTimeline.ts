"use client";
/**
 * The life of one task from the chain's events: asked each second until it has ended and while a demand is open, then
 * seldom, in case blocks are undone.
 */
import { readTaskTimeline, type TimelineRow } from "@ngpu/client/chainTimeline";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { Hex } from "viem";
import { useAnswer } from "./useAnswer.ts";
import { pollMs } from "../lib/pollMs.ts";
import { standingRow } from "../lib/taskStages.ts";
import { useChain } from "./useChain.ts";
import { useRuntime } from "./useRuntime.tsx";

export function isEnd(row: TimelineRow): boolean {
  return row.stage === "settled" || row.stage === "refunded" || row.stage === "cancelled";
}

/** True while the payer's demand for the output waits for an answer. */
export function hasOpenDemand(rows: readonly TimelineRow[]): boolean {
  return standingRow(rows)?.stage === "demanded";
}

export function useTaskTimeline(taskId: Hex) {
  const { deployment, chainId } = useRuntime();
  const chain = useChain();
  const queries = useQueryClient();
  const queryKey = ["timeline", chainId, taskId];
  const query = useQuery({
    queryKey,
    queryFn: async (): Promise<TimelineRow[]> => {
      // Once the post is known nothing older has to be searched; a few blocks of slack cover a reorganisation.
      const posted = queries.getQueryData<TimelineRow[]>(queryKey)?.find((row) => row.stage === "posted");
      const earliest = posted === undefined ? deployment.deploymentBlock : posted.blockNumber - slackBlocks;
      const deploymentBlock = earliest > deployment.deploymentBlock ? earliest : deployment.deploymentBlock;
      return readTaskTimeline({ chain, deployment: { taskEscrow: deployment.taskEscrow, deploymentBlock }, taskId });
    },
    refetchInterval: ({ state }) => pollMs(state.data?.some(isEnd) !== true || hasOpenDemand(state.data)),
  });
  return useAnswer(query);
}

const slackBlocks = 64n;

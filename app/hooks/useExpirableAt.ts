"use client";
/** From when on anyone may return the escrow of an open task, by the contract's word; moves with the task's state. */
import type { TimelineRow } from "@ngpu/client/chainTimeline";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { useQuery } from "@tanstack/react-query";
import type { Hex } from "viem";
import { nextPollMs } from "../lib/pollMs.ts";
import { useChain } from "./useChain.ts";
import { useRuntime } from "./useRuntime.tsx";

export function useExpirableAt(task: {
  taskId: Hex;
  rows: readonly TimelineRow[];
  ended: boolean;
}): number | undefined {
  const { taskId, rows, ended } = task;
  const { deployment } = useRuntime();
  const chain = useChain();
  const isPosted = rows.some(({ stage }) => stage === "posted");
  const answer = useQuery({
    queryKey: ["expirableAt", deployment.taskEscrow, taskId],
    queryFn: async () => {
      const { wordsOfRows } = await import("../lib/wordsOfRows.ts");
      const words = wordsOfRows(rows);
      if (words === undefined) return 0;
      const escrow = { address: deployment.taskEscrow, abi: taskEscrowAbi } as const;
      return chain.readContract({ ...escrow, functionName: "expirableAt", args: [taskId, words.terms] });
    },
    enabled: isPosted && !ended,
    refetchInterval: () => nextPollMs(4_000),
  });
  return answer.data === 0 ? undefined : answer.data;
}

"use client";
/** From when on anyone may return the escrow of an open task, by the contract's word; it moves with the task's state. */
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { useQuery } from "@tanstack/react-query";
import type { Hex } from "viem";
import { nextPollMs } from "../lib/pollMs.ts";
import { useChain } from "./useChain.ts";
import { useRuntime } from "./useRuntime.tsx";

export function useExpirableAt({ taskId, open }: { taskId: Hex; open: boolean }): number | undefined {
  const { deployment } = useRuntime();
  const chain = useChain();
  const request = {
    address: deployment.taskEscrow,
    abi: taskEscrowAbi,
    functionName: "expirableAt",
    args: [taskId],
  } as const;
  const answer = useQuery({
    queryKey: ["expirableAt", deployment.taskEscrow, taskId],
    queryFn: () => chain.readContract(request),
    enabled: open,
    refetchInterval: () => nextPollMs(4_000),
  });
  return answer.data === 0 ? undefined : answer.data;
}

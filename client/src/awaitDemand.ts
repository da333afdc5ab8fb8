/** Waits for the end of a demand: keepers had the output, or bill and bond went back to the payer. */
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { NgpuError } from "@ngpu/protocol/errors";
import { taskStatus } from "@ngpu/protocol/taskStatus";
import type { Address, Hex, PublicClient } from "viem";
import { sleep } from "./sleep.ts";

const pollMs = 500;

/** A chain that does not answer is asked again. Throws TASK_ABANDONED when the signal aborts first. */
export async function awaitDemand(request: {
  chain: PublicClient;
  deployment: { taskEscrow: Address };
  taskId: Hex;
  signal: AbortSignal;
}): Promise<"delivered" | "forfeited"> {
  const { chain, deployment, taskId, signal } = request;
  const call = { address: deployment.taskEscrow, abi: taskEscrowAbi, functionName: "stateOf", args: [taskId] } as const;
  while (!signal.aborted) {
    const state = await chain.readContract(call).catch(() => undefined);
    if (state?.status === taskStatus.delivered) return "delivered";
    if (state?.status === taskStatus.forfeited) return "forfeited";
    await sleep(pollMs, signal);
  }
  throw new NgpuError("TASK_ABANDONED", { taskId });
}

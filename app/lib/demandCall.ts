/**
 * The call that demands the output of a settled task. A demand for what is there only costs the bond, so the gateway is
 * asked once more before anything is signed.
 */
import type { TimelineRow } from "@ngpu/client/chainTimeline";
import { isOutputHeld } from "@ngpu/client/isOutputHeld";
import type { TaskSecrets } from "@ngpu/client/taskSecrets";
import { NgpuError } from "@ngpu/protocol/errors";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import type { Address, Hex } from "viem";
import { contractCall, type ContractCall } from "./contractCall.ts";
import { requireRowWords } from "./wordsOfRows.ts";

export interface DemandRequest {
  gatewayUrl: string;
  chainId: number;
  taskEscrow: Address;
  taskId: Hex;
  rows: readonly TimelineRow[];
  /** Absent on a device that did not post the task: it can read nothing of it from a gateway. */
  secrets: TaskSecrets | undefined;
  nowMs: number;
}

/** Throws OUTPUT_HELD when the gateway gives the bytes: keepers would find them there too. */
export async function demandCall(request: DemandRequest): Promise<ContractCall> {
  const { taskEscrow, taskId, rows } = request;
  const { terms, settlement } = requireRowWords({ taskId, rows });
  if (settlement === undefined) throw new NgpuError("DEMAND_NOT_POSSIBLE", { taskId });
  if (await isHeld(request, settlement.outputCiphertext)) throw new NgpuError("OUTPUT_HELD", { taskId });
  const args = [taskId, terms, settlement] as const;
  return contractCall({ address: taskEscrow, abi: taskEscrowAbi, functionName: "demandOutput", args });
}

/** Bill and bond back to the payer, once too few keepers have answered in time. Anyone may call. */
export function closeDemandCall(request: Pick<DemandRequest, "taskEscrow" | "taskId" | "rows">): ContractCall {
  const { taskEscrow, taskId, rows } = request;
  const { terms, settlement } = requireRowWords({ taskId, rows });
  if (settlement === undefined) throw new NgpuError("DEMAND_NOT_POSSIBLE", { taskId });
  const args = [taskId, terms, settlement] as const;
  return contractCall({ address: taskEscrow, abi: taskEscrowAbi, functionName: "closeDemand", args });
}

async function isHeld(request: DemandRequest, hash: Hex): Promise<boolean> {
  const { gatewayUrl, chainId, taskEscrow, secrets, nowMs } = request;
  if (secrets === undefined) return false;
  const context = { chainId, verifyingContract: taskEscrow };
  return isOutputHeld({ gatewayUrl, context, secrets, hash, nowMs: () => nowMs });
}

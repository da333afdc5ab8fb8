/** The life of one task as the chain tells it: one row per event log, in order, each with its block and transaction. */
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import type { Address, Hex, PublicClient } from "viem";
import { answered } from "./answered.ts";

export type Stage =
  | ("posted" | "assigned" | "accepted" | "attemptFailed" | "settled" | "standbyPaid" | "refunded" | "cancelled")
  | ("demanded" | "attested" | "delivered" | "forfeited");

export interface TimelineRow {
  stage: Stage;
  blockNumber: bigint;
  blockHash: Hex;
  /** Chain time in seconds. */
  timestamp: bigint;
  txHash: Hex;
  logIndex: number;
  /** The event's arguments, as viem decodes them. */
  args: Record<string, unknown>;
}

const stageOf: Record<string, Stage> = {
  TaskPosted: "posted",
  TaskAssigned: "assigned",
  TaskAccepted: "accepted",
  TaskAttemptFailed: "attemptFailed",
  TaskSettled: "settled",
  TaskStandbyPaid: "standbyPaid",
  TaskRefunded: "refunded",
  TaskCancelled: "cancelled",
  OutputDemanded: "demanded",
  OutputAttested: "attested",
  OutputDelivered: "delivered",
  OutputForfeited: "forfeited",
};

export async function readTaskTimeline(request: {
  chain: PublicClient;
  deployment: { taskEscrow: Address; deploymentBlock: bigint };
  taskId: Hex;
}): Promise<TimelineRow[]> {
  const { chain, deployment, taskId } = request;
  const events = taskEscrowAbi.filter((item) => item.type === "event" && Object.hasOwn(stageOf, item.name));
  const query = {
    address: deployment.taskEscrow,
    abi: events,
    fromBlock: deployment.deploymentBlock,
    toBlock: "latest",
    // Every task event has the task id as its first indexed argument.
    args: { taskId },
    strict: true,
  } as const;
  const logs = await answered(chain.getContractEvents(query));
  const rows = logs.filter((log) => "taskId" in log.args && log.args.taskId === taskId);
  const times = new Map<bigint, bigint>();
  for (const blockNumber of new Set(rows.map((log) => log.blockNumber))) {
    times.set(blockNumber, (await answered(chain.getBlock({ blockNumber }))).timestamp);
  }
  return rows.map((log) => ({
    stage: stageOf[log.eventName] ?? "posted",
    blockNumber: log.blockNumber,
    blockHash: log.blockHash,
    timestamp: times.get(log.blockNumber) ?? 0n,
    txHash: log.transactionHash,
    logIndex: log.logIndex,
    args: log.args as Record<string, unknown>,
  }));
}

/** The newest event of a stage, in the shape that the contract's ABI gives it. */
export function argsOf<T>(rows: readonly TimelineRow[], stage: Stage): T | undefined {
  return rows.findLast((row) => row.stage === stage)?.args as T | undefined;
}

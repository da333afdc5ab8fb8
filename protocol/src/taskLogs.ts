/** The events of TaskEscrow about tasks, as an RPC tells them: in order, of one task or of all, between two blocks. */
import {
  formatLog,
  parseEventLogs,
  type Address,
  type Hex,
  type ParseEventLogsReturnType,
  type PublicClient,
  type RpcLog,
} from "viem";
import { taskEscrowAbi } from "./generated/abi/taskEscrow.ts";

type EscrowLog = ParseEventLogsReturnType<typeof taskEscrowAbi, undefined, true>[number];
export type TaskLog = Exclude<EscrowLog, { eventName: "EIP712DomainChanged" }>;
export type TaskLogOf<Name extends TaskLog["eventName"]> = Extract<TaskLog, { eventName: Name }>;

export async function readTaskLogs(request: {
  chain: Pick<PublicClient, "request">;
  escrow: Address;
  fromBlock: bigint;
  toBlock: bigint;
  /** Every event of a task has its id as the first indexed argument. */
  taskId?: Hex;
}): Promise<TaskLog[]> {
  const { chain, escrow, fromBlock, toBlock, taskId } = request;
  const filter = {
    address: escrow,
    fromBlock: `0x${fromBlock.toString(16)}`,
    toBlock: `0x${toBlock.toString(16)}`,
    ...(taskId === undefined ? {} : { topics: [null, taskId] }),
  } as const;
  const logs: RpcLog[] = await chain.request({ method: "eth_getLogs", params: [filter] });
  const parsed = parseEventLogs({ abi: taskEscrowAbi, logs: logs.map((log) => formatLog(log)), strict: true });
  return parsed.filter(isTaskLog).filter(({ args }) => taskId === undefined || args.taskId === taskId);
}

function isTaskLog(log: EscrowLog): log is TaskLog {
  return log.eventName !== "EIP712DomainChanged";
}

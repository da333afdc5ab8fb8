/** A chain whose RPC tells the truth about everything but what the events of TaskEscrow say. */
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { chainOf } from "@ngpu/protocol/service/chain";
import {
  createPublicClient,
  custom,
  decodeEventLog,
  encodeAbiParameters,
  type AbiEvent,
  type Hex,
  type PublicClient,
  type RpcLog,
} from "viem";
import type { TestChain } from "./chain.ts";

export interface LyingChain {
  client: PublicClient;
  /** Changes what an event of a task says from now on; undefined tells the truth again. */
  lie(taskId: Hex, about: string, change: Record<string, unknown> | undefined): void;
}

export function lyingChain(chain: TestChain): LyingChain {
  const lies = new Map<string, Record<string, unknown>>();
  const transport = custom({
    async request({ method, params }: { method: string; params: unknown }) {
      const answer = await chain.client.request({ method, params } as never);
      return method === "eth_getLogs" ? (answer as RpcLog[]).map(told) : answer;
    },
  });

  function told(log: RpcLog): RpcLog {
    const { eventName, args: said } = decodeEventLog({ abi: taskEscrowAbi, data: log.data, topics: log.topics });
    const args: Record<string, unknown> = { ...said };
    const change = lies.get(`${String(args.taskId)} ${eventName}`);
    if (change === undefined) return log;
    const event = taskEscrowAbi.find((item) => item.type === "event" && item.name === eventName) as AbiEvent;
    const inputs = event.inputs.filter(({ indexed }) => indexed !== true);
    const values = inputs.map(({ name = "" }) => change[name] ?? args[name]);
    return { ...log, data: encodeAbiParameters(inputs, values) };
  }

  const client = createPublicClient({
    chain: chainOf(chain.chainId, chain.rpcUrl),
    transport,
    cacheTime: 0,
    pollingInterval: 50,
  });
  return {
    client,
    lie(taskId, about, change) {
      if (change === undefined) lies.delete(`${taskId} ${about}`);
      else lies.set(`${taskId} ${about}`, change);
    },
  };
}

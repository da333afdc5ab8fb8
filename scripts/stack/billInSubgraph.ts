/**
 * Waits until the subgraph shows the bill of a task; graph-node answers an error while it follows a new block, which
 * is asked again.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Hex } from "viem";
import { StackError } from "./stackError.ts";

export interface IndexedBill {
  amountUsd6: bigint;
  standbyUsd6: bigint;
  refundUsd6: bigint;
  blockNumber: bigint;
  txHash: Hex;
}

const pollMs = 20;

interface Answer {
  data?: { bill: { amountUsd6: string; standbyUsd6: string; refundUsd6: string; block: string; tx: Hex } | null };
}

export async function billInSubgraph(options: {
  subgraphUrl: string;
  taskId: Hex;
  timeoutMs: number;
}): Promise<IndexedBill> {
  const { subgraphUrl, taskId, timeoutMs } = options;
  const query = `{ bill(id: "${taskId}") { amountUsd6 standbyUsd6 refundUsd6 block tx } }`;
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const bill = await ask(subgraphUrl, query);
    if (bill) {
      return {
        amountUsd6: BigInt(bill.amountUsd6),
        standbyUsd6: BigInt(bill.standbyUsd6),
        refundUsd6: BigInt(bill.refundUsd6),
        blockNumber: BigInt(bill.block),
        txHash: bill.tx,
      };
    }
    if (performance.now() > deadline)
      throw new StackError(`The subgraph did not show the bill of ${taskId} within ${timeoutMs / 1_000} s.`);
    await sleep(pollMs);
  }
}

async function ask(url: string, query: string): Promise<NonNullable<Answer["data"]>["bill"] | undefined> {
  try {
    const headers = { "content-type": "application/json" };
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ query }) });
    return ((await response.json()) as Answer).data?.bill;
  } catch {
    return undefined;
  }
}

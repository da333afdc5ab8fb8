/** Waits until the gateway lists these nodes: only a node that is online is assigned. */
import { setTimeout as sleep } from "node:timers/promises";
import { StackError } from "./stackError.ts";

const timeoutMs = 60_000;
const pollMs = 50;

export async function untilOnline(options: { gatewayUrl: string; nodeIds: readonly number[] }): Promise<void> {
  const { gatewayUrl, nodeIds } = options;
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const online = await listed(gatewayUrl);
    const missing = nodeIds.filter((nodeId) => !online.includes(nodeId));
    if (missing.length === 0) return;
    if (performance.now() > deadline)
      throw new StackError(`Not online within ${timeoutMs / 1_000} s: node ${missing.join(", ")}.`);
    await sleep(pollMs);
  }
}

async function listed(gatewayUrl: string): Promise<number[]> {
  try {
    const response = await fetch(`${gatewayUrl}/v1/roster`);
    return ((await response.json()) as { nodes: { nodeId: number }[] }).nodes.map(({ nodeId }) => nodeId);
  } catch {
    return [];
  }
}

/** Waits until every node of a network is heard of, free, and so could be given the next task. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Stack } from "../../stack/stack.ts";
import { StackError } from "../../stack/stackError.ts";

interface Entry {
  nodeId: number;
  slots: number;
  freeSlots: number;
  silentMs: number;
}

const timeoutMs = 90_000;
const pollMs = 50;
/** A heartbeat comes every second. */
const freshMs = 1_200;

export async function untilIdle(stack: Pick<Stack, "urls" | "nodes">, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const online = await roster(stack.urls.gateway);
    const idle = online.filter(({ slots, freeSlots, silentMs }) => freeSlots === slots && silentMs < freshMs);
    const missing = stack.nodes.filter(({ nodeId }) => !idle.some((entry) => entry.nodeId === nodeId));
    if (missing.length === 0) return;
    if (performance.now() > deadline)
      throw new StackError(`Not idle within ${timeoutMs / 1_000} s: ${missing.map(({ name }) => name).join(", ")}.`);
    await sleep(pollMs, undefined, { signal });
  }
}

async function roster(gatewayUrl: string): Promise<Entry[]> {
  try {
    return ((await (await fetch(`${gatewayUrl}/v1/roster`)).json()) as { nodes: Entry[] }).nodes;
  } catch {
    return [];
  }
}

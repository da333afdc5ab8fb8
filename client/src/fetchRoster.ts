/** Reads the gateway's public list of connected nodes; entries that do not look like one are left out. */
import { NgpuError } from "@ngpu/protocol/errors";
import type { Hex } from "viem";

export interface OnlineNode {
  nodeId: number;
  models: Hex[];
  slots: number;
  freeSlots: number;
  executionProvider: string;
  agentVersion: string;
  benchmarkCu: number;
  silentMs: number;
}

/** A gateway that takes a connection and says nothing is as good as none. */
const patienceMs = 3_000;

export async function fetchRoster({
  gatewayUrl,
  signal,
}: {
  gatewayUrl: string;
  signal?: AbortSignal;
}): Promise<OnlineNode[]> {
  let answer: unknown;
  try {
    const response = await fetch(`${gatewayUrl}/v1/roster`, {
      signal: AbortSignal.any([AbortSignal.timeout(patienceMs), ...(signal === undefined ? [] : [signal])]),
    });
    answer = await response.json();
  } catch (cause) {
    throw new NgpuError("GATEWAY_UNREACHABLE", { gatewayUrl }, { cause });
  }
  const list: unknown = typeof answer === "object" && answer !== null && "nodes" in answer ? answer.nodes : answer;
  // What is no roster, an error or the page of a proxy, must not read as if nobody were online.
  if (!Array.isArray(list)) throw new NgpuError("GATEWAY_UNREACHABLE", { gatewayUrl });
  return list.filter(isOnlineNode);
}

function isOnlineNode(value: unknown): value is OnlineNode {
  if (typeof value !== "object" || value === null) return false;
  const entry = value as Record<string, unknown>;
  return (
    typeof entry.nodeId === "number" &&
    Array.isArray(entry.models) &&
    entry.models.every((model) => typeof model === "string") &&
    typeof entry.slots === "number" &&
    typeof entry.freeSlots === "number"
  );
}

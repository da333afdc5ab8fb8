/**
 * The events of a receipt in words of the contracts; a log of a contract that is not ours stays undecoded. The ABIs are
 * many, so they are fetched when there is something to decode.
 */
import { decodeEventLog, type Abi, type Log } from "viem";
import type { AppDeployment } from "./deployment.ts";

export interface DecodedEvent {
  logIndex: number;
  contract: string;
  name: string;
  args: { name: string; value: string }[];
}

export async function decodeEvents(logs: readonly Log[], deployment: AppDeployment): Promise<DecodedEvent[]> {
  if (logs.length === 0) return [];
  const { contractAbis } = await import("./contractAbis.ts");
  const keys = Object.keys(contractAbis) as (keyof typeof contractAbis)[];
  return logs.map((log) => {
    const key = keys.find((candidate) => deployment[candidate]?.toLowerCase() === log.address.toLowerCase());
    const { name, abi } = key === undefined ? { name: log.address, abi: undefined } : contractAbis[key];
    return { logIndex: log.logIndex ?? 0, contract: name, ...decoded(log, abi) };
  });
}

function decoded(log: Log, abi: Abi | undefined): Pick<DecodedEvent, "name" | "args"> {
  if (abi === undefined) return { name: "Unknown event", args: [] };
  try {
    const { eventName, args } = decodeEventLog({ abi, data: log.data, topics: log.topics });
    const entries = Object.entries((args ?? {}) as Record<string, unknown>);
    return {
      name: eventName ?? "Unknown event",
      args: entries.map(([name, value]) => ({ name, value: said(value) })),
    };
  } catch {
    return { name: "Unknown event", args: [] };
  }
}

/** Lists and structs are told part by part, a seat as "nodeId 7, powerCu 1000". */
function said(value: unknown): string {
  if (Array.isArray(value)) return value.map(said).join("; ");
  if (typeof value !== "object" || value === null) return String(value);
  const parts = Object.entries(value as Record<string, unknown>);
  return parts.map(([name, part]) => `${name} ${said(part)}`).join(", ");
}

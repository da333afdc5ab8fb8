/** A bad network with a process at either end that can be asked what `EndpointCalls` lists. */
import { callEndpoint, type Endpoint } from "./endpoint/callEndpoint.ts";
import type { DirectionCounts, NetworkConditions } from "./network/networkConditions.ts";
import { openNetwork } from "./network/openNetwork.ts";

export interface Pair {
  /** Sends. */
  readonly near: Endpoint;
  /** Receives, at `host`. */
  readonly far: Endpoint;
  readonly host: string;
  readonly conditions: PairConditions;
  /** Another two processes on the same path. */
  beside(): { readonly near: Endpoint; readonly far: Endpoint };
  counts(): Promise<readonly DirectionCounts[]>;
  close(): Promise<void>;
}

export type PairConditions = Omit<NetworkConditions, "near" | "far">;

const endpoint = new URL("./endpoint/endpoint.ts", import.meta.url);
const addresses = { near: "10.83.0.1", far: "10.83.0.2" };

/** Every network has the same addresses: none sees another. Rejects where networks may not be made. */
export async function openPair(conditions: PairConditions): Promise<Pair> {
  const network = await openNetwork({ ...conditions, ...addresses });
  const beside = (): { near: Endpoint; far: Endpoint } => ({
    near: callEndpoint(network.start("near", endpoint)),
    far: callEndpoint(network.start("far", endpoint)),
  });
  return {
    ...beside(),
    host: addresses.far,
    conditions,
    beside,
    counts: () => network.counts(),
    close: () => network.close(),
  };
}

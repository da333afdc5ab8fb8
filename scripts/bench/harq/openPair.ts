/** A bad network with a process at either end that can be asked what `EndpointCalls` lists. */
import type { ChildProcess } from "node:child_process";
import type { EndpointAnswer, EndpointCalls, EndpointRequest } from "./endpoint/endpointCalls.ts";
import type { DirectionCounts, NetworkConditions } from "./network/networkConditions.ts";
import { openNetwork } from "./network/openNetwork.ts";

export type Endpoint = {
  [Name in keyof EndpointCalls]: (
    ...given: Parameters<EndpointCalls[Name]>
  ) => Promise<Awaited<ReturnType<EndpointCalls[Name]>>>;
};

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
    near: remote(network.start("near", endpoint)),
    far: remote(network.start("far", endpoint)),
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

function remote(child: ChildProcess): Endpoint {
  const waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  let ids = 0;
  let gone: Error | undefined;
  child.on("message", (answer: EndpointAnswer) => {
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (answer.error === undefined) asked?.resolve(answer.result);
    else asked?.reject(new Error(answer.error));
  });
  child.once("exit", (code, signal) => {
    gone = new Error(`an end of the network is gone (${signal ?? code})`);
    for (const { reject } of waiting.values()) reject(gone);
  });
  const ask = (name: keyof EndpointCalls, given: unknown): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (gone !== undefined) return reject(gone);
      ids += 1;
      waiting.set(ids, { resolve, reject });
      const request: EndpointRequest = { id: ids, name, given };
      child.send(request);
    });
  return new Proxy({} as Endpoint, {
    // Not a promise itself, whoever awaits it.
    get: (_, name: keyof EndpointCalls | "then") => (name === "then" ? undefined : (given: unknown) => ask(name, given)),
  });
}

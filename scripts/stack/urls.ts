/** Where the running parts are reached, all on loopback. */
import type { StackPorts } from "./ports.ts";

export interface StackUrls {
  rpc: string;
  gateway: string;
  subgraph: string | undefined;
  dapp: string | undefined;
}

/** What the services are told instead of where a part listens: lines in between that a test can disturb. */
export interface Detours {
  rpc?: string;
  /** Becomes the gateway's public URL. */
  gateway?: string;
}

export function stackUrls(options: {
  ports: StackPorts;
  subgraph: boolean;
  dapp: boolean;
  detours?: Detours;
}): StackUrls {
  const { ports, subgraph, dapp, detours = {} } = options;
  return {
    rpc: at(ports.chain),
    gateway: detours.gateway ?? at(ports.gateway),
    subgraph: subgraph ? `${at(ports.graphHttp)}/subgraphs/name/subgraph-0` : undefined,
    dapp: dapp ? at(ports.dapp) : undefined,
  };
}

function at(port: number): string {
  return `http://127.0.0.1:${port}`;
}

/**
 * Where this dApp finds the chain, the gateway and the subgraph. Read on the server for each request and handed to the
 * browser, so the addresses are settings of the run, not of the build.
 */
export interface RuntimeConfig {
  chainId: number;
  rpcUrl: string;
  gatewayUrl: string;
  subgraphUrl: string;
}

export function readRuntimeConfig(env: Readonly<Record<string, string | undefined>>): RuntimeConfig {
  return {
    chainId: Number(env.NGPU_CHAIN_ID ?? 31337),
    rpcUrl: urlOf(env.NGPU_RPC_URL, "http://127.0.0.1:8545"),
    gatewayUrl: urlOf(env.NGPU_GATEWAY_URL, "http://127.0.0.1:8600"),
    subgraphUrl: urlOf(env.NGPU_SUBGRAPH_URL, "http://127.0.0.1:8000/subgraphs/name/subgraph-0"),
  };
}

function urlOf(value: string | undefined, fallback: string): string {
  const url = value === undefined || value === "" ? fallback : value;
  return url.endsWith("/") ? url.slice(0, -1) : url;
}

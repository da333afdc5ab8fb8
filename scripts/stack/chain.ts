/**
 * The local chain: Hardhat's node on loopback, and the contracts deployed to it at the addresses every part of NGPU
 * knows.
 */
import { join } from "node:path";
import { createPublicClient, createTestClient, http, type PublicClient } from "viem";
import { hardhat } from "viem/chains";
import { paths } from "./paths.ts";
import { runTool } from "./process/runTool.ts";
import type { Supervisor } from "./process/supervisor.ts";

export async function startChain(options: { port: number; supervisor: Supervisor }): Promise<void> {
  const { port, supervisor } = options;
  const rpcUrl = `http://127.0.0.1:${port}`;
  const client = localClient(rpcUrl);
  await supervisor.start("base", {
    name: "chain",
    command: [process.execPath, paths.hardhat, "node", "--hostname", "127.0.0.1", "--port", String(port)],
    env: {},
    ready: () =>
      client.getChainId().then(
        (id) => id === hardhat.id,
        () => false,
      ),
  });
  // Otherwise every call of every poll becomes a line of the log.
  await createTestClient({ mode: "hardhat", chain: hardhat, transport: http(rpcUrl) }).setLoggingEnabled(false);
}

/** Deploys with Hardhat Ignition and fails unless every address is the one in protocol/src/generated/deployments.ts. */
export async function deployContracts(options: { rpcUrl: string; dataDir: string; logFolder: string }): Promise<void> {
  const { rpcUrl, dataDir, logFolder } = options;
  await runTool({
    name: "deploy",
    command: [process.execPath, join(paths.root, "scripts/stack/deploy.ts")],
    env: { NGPU_RPC_URL: rpcUrl, NGPU_DATA_DIR: dataDir },
    logFile: join(logFolder, "deploy.log"),
    timeoutMs: 120_000,
  });
}

export function localClient(rpcUrl: string): PublicClient {
  return createPublicClient({ chain: hardhat, transport: http(rpcUrl), pollingInterval: 50, cacheTime: 0 });
}

/** Starts a gateway or a keeper inside a test, on a free port and in a folder of its own. */
import { startGateway, type Gateway, type GatewayOptions } from "@ngpu/keeper/gateway/gateway";
import { startKeeper, type Keeper, type KeeperOptions } from "@ngpu/keeper/keeper/keeper";
import { systemClock } from "@ngpu/protocol/service/clock";
import { createLog } from "@ngpu/protocol/service/log";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestChain } from "./chain.ts";

export const testLog = createLog({ service: "test", level: process.env.NGPU_LOG_LEVEL ?? "silent" });

export async function startTestGateway(
  chain: TestChain,
  options: Partial<GatewayOptions> = {},
): Promise<Gateway & { dataDir: string }> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "ngpu-gateway-")));
  const gateway = await startGateway({
    host: "127.0.0.1",
    port: 0,
    allowedOrigins: ["http://localhost:3000"],
    dataDir,
    chainId: chain.chainId,
    chain: chain.client,
    deployment: chain.deployment,
    clock: systemClock,
    log: testLog,
    random: (length) => randomBytes(length),
    pollMs: 50,
    ...options,
  });
  return {
    ...gateway,
    dataDir,
    async close() {
      await gateway.close();
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export function startTestKeeper(chain: TestChain, gatewayUrls: string[], options: Partial<KeeperOptions> = {}): Keeper {
  return startKeeper({
    chainId: chain.chainId,
    rpcUrl: chain.rpcUrl,
    chain: chain.client,
    deployment: chain.deployment,
    account: chain.account(1),
    gatewayUrls,
    clock: systemClock,
    log: testLog,
    random01: () => 0.5,
    everyMs: 50,
    ...options,
  });
}

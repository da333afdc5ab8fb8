/** Runs a gateway until SIGINT or SIGTERM. Its settings are the environment variables read below. */
import { deploymentOf } from "@ngpu/protocol/deployment";
import { codeOf } from "@ngpu/protocol/errors";
import { createChain } from "@ngpu/protocol/service/chain";
import { systemClock } from "@ngpu/protocol/service/clock";
import { explainFailure } from "@ngpu/protocol/service/explainFailure";
import { createLog } from "@ngpu/protocol/service/log";
import { createOps } from "@ngpu/protocol/service/ops";
import { readDrainS, readInteger, readPort, readSwitch, readText, readUrl } from "@ngpu/protocol/service/settings";
import { runUntilSignal } from "@ngpu/protocol/service/shutdown";
import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { startGateway } from "@ngpu/keeper/gateway/gateway";

/** The largest blob arrives within it over a line of 30 Mbit/s; a slower one is sent again to the successor. */
const defaultDrainS = 10;

const log = createLog({ service: "gateway" });
try {
  const { env } = process;
  const chainId = readInteger(env, "NGPU_CHAIN_ID", { fallback: 31_337, minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
  const chain = await createChain({ rpcUrl: readUrl(env, "NGPU_RPC_URL", "http://127.0.0.1:8545"), chainId });
  const publicUrl = env.NGPU_GATEWAY_PUBLIC_URL ? readUrl(env, "NGPU_GATEWAY_PUBLIC_URL") : undefined;
  const origins = readText(env, "NGPU_ALLOWED_ORIGINS", "http://localhost:3000,http://127.0.0.1:3000");
  const host = readText(env, "NGPU_GATEWAY_HOST", "127.0.0.1");
  const port = readPort(env, "NGPU_GATEWAY_PORT", 8_600);
  const publicAddress = env.NGPU_GATEWAY_UDP_ADDRESS;
  const udp = {
    host,
    port: readPort(env, "NGPU_GATEWAY_UDP_PORT", port),
    ...(publicAddress ? { publicAddress } : {}),
  };
  const ops = createOps({ service: "gateway", env });
  const gateway = await startGateway({
    telemetry: ops.telemetry,
    host,
    port,
    ...(readSwitch(env, "NGPU_UDP", true) ? { udp } : {}),
    offersDirect: readSwitch(env, "NGPU_DIRECT", true),
    ...(publicUrl === undefined ? {} : { publicUrl }),
    allowedOrigins: origins.split(",").map((origin) => origin.trim()),
    dataDir: resolve(readText(env, "NGPU_DATA_DIR", "data/gateway")),
    modelFolders: env.NGPU_MODEL_DIR ? [resolve(env.NGPU_MODEL_DIR)] : [],
    storeBytes: readInteger(env, "NGPU_STORE_BYTES", { fallback: 2 ** 31, minimum: 2 ** 20, maximum: 2 ** 50 }),
    pollMs: readInteger(env, "NGPU_POLL_MS", { fallback: 250, minimum: 50, maximum: 60_000 }),
    chainId,
    chain,
    deployment: deploymentOf(chainId),
    clock: systemClock,
    log,
    random: (length) => randomBytes(length),
  });
  const opsServer = await ops.open(gateway);
  runUntilSignal({
    log,
    drain: () => gateway.drain(),
    drainS: readDrainS(env, defaultDrainS),
    close: () => Promise.all([gateway.close(), opsServer?.close()]),
  });
  process.stdout.write(`READY ${JSON.stringify({ url: gateway.url, ops: opsServer?.url })}\n`);
} catch (error) {
  log.fatal({ ...(explainFailure(error) ?? { err: error, code: codeOf(error) }) }, "gateway did not start");
  process.exitCode = 1;
}

/** Runs a keeper until SIGINT or SIGTERM. Its settings are the environment variables read below. */
import { deploymentOf } from "@ngpu/protocol/deployment";
import { codeOf } from "@ngpu/protocol/errors";
import { createChain } from "@ngpu/protocol/service/chain";
import { systemClock } from "@ngpu/protocol/service/clock";
import { explainFailure } from "@ngpu/protocol/service/explainFailure";
import { createLog } from "@ngpu/protocol/service/log";
import { createOps } from "@ngpu/protocol/service/ops";
import { readDrainS, readInteger, readPrivateKey, readText, readUrl } from "@ngpu/protocol/service/settings";
import { runUntilSignal } from "@ngpu/protocol/service/shutdown";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { privateKeyToAccount } from "viem/accounts";
import { readAuditSettings } from "@ngpu/keeper/audits/auditSettings";
import { createAuthority } from "@ngpu/keeper/chain/authority";
import { startKeeper } from "@ngpu/keeper/keeper/keeper";
import { sessionTiming } from "@ngpu/keeper/session/planSessions";
import { readUpkeepSettings } from "@ngpu/keeper/upkeep/upkeepSettings";

/** A transaction is mined within a block or two of any chain that this is meant for. */
const defaultDrainS = 20;

const log = createLog({ service: "keeper" });
try {
  const { env } = process;
  const chainId = readInteger(env, "NGPU_CHAIN_ID", { fallback: 31_337, minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
  const rpcUrl = readUrl(env, "NGPU_RPC_URL", "http://127.0.0.1:8545");
  const readFile = (path: string): string => readFileSync(path, "utf8");
  const account = privateKeyToAccount(readPrivateKey(env, "NGPU_KEEPER_KEY", { chainId, readFile }));
  const gatewayUrls = readText(env, "NGPU_GATEWAY_URL", "http://127.0.0.1:8600")
    .split(",")
    .map((url) => url.trim().replace(/\/+$/, ""));
  const settleMinUsd6 = BigInt(
    readInteger(env, "NGPU_SETTLE_MIN_USD6", {
      fallback: Number(sessionTiming.settleMinUsd6),
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
    }),
  );
  const chain = await createChain({ rpcUrl, chainId });
  const deployment = deploymentOf(chainId);
  const authority = createAuthority({ chain, deployment, clock: systemClock });
  if (!(await authority.isKeeper(account.address))) {
    log.error({ account: account.address }, "this account has no keeper role: gateways refuse it until it is granted");
  }
  const ops = createOps({ service: "keeper", env });
  const audits = await readAuditSettings({
    ...{ env, chain, chainId, rpcUrl, deployment, readFile, clock: systemClock, log },
    mayAudit: () => authority.isAuditor(account.address),
    gatewayUrl: gatewayUrls[0] ?? "",
    random: (length) => randomBytes(length),
  });
  const keeper = startKeeper({
    telemetry: ops.telemetry,
    chainId,
    rpcUrl,
    chain,
    deployment,
    account,
    gatewayUrls,
    clock: systemClock,
    log,
    random01: Math.random,
    sessionTiming: { ...sessionTiming, settleMinUsd6 },
    upkeep: readUpkeepSettings(env),
    ...(audits === undefined ? {} : { audits }),
    everyMs: readInteger(env, "NGPU_POLL_MS", { fallback: 250, minimum: 50, maximum: 60_000 }),
  });
  const opsServer = await ops.open(keeper);
  runUntilSignal({
    log,
    drain: () => keeper.drain(),
    drainS: readDrainS(env, defaultDrainS),
    close: () => Promise.all([keeper.stop(), opsServer?.close()]),
  });
  process.stdout.write(`READY ${JSON.stringify({ account: account.address, ops: opsServer?.url })}\n`);
} catch (error) {
  log.fatal({ ...(explainFailure(error) ?? { err: error, code: codeOf(error) }) }, "keeper did not start");
  process.exitCode = 1;
}

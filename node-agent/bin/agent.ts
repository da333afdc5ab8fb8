/**
 * Runs the agent of one machine until SIGINT or SIGTERM. Settings: docs/OPERATIONS.md. Exit code 78: the setting
 * cannot work here.
 */
import { randomBytes } from "node:crypto";
import { deploymentOf } from "@ngpu/protocol/deployment";
import { codeOf } from "@ngpu/protocol/errors";
import { createChain } from "@ngpu/protocol/service/chain";
import { systemClock } from "@ngpu/protocol/service/clock";
import { explainFailure } from "@ngpu/protocol/service/explainFailure";
import { createLog } from "@ngpu/protocol/service/log";
import { createOps } from "@ngpu/protocol/service/ops";
import { runUntilSignal } from "@ngpu/protocol/service/shutdown";
import { startAgent } from "../src/agent/agent.ts";
import { readAgentSettings } from "../src/agent/settings.ts";

/** EX_CONFIG of sysexits.h: restarting does not help. */
const configurationExitCode = 78;

const log = createLog({ service: "agent" });
try {
  const settings = readAgentSettings(process.env);
  const { chainId, rpcUrl } = settings;
  const ops = createOps({ service: "agent", env: process.env });
  const agent = await startAgent({
    telemetry: ops.telemetry,
    settings,
    deployment: deploymentOf(chainId),
    client: await createChain({ rpcUrl, chainId }),
    clock: systemClock,
    log,
    random: (length) => randomBytes(length),
  });
  const opsServer = await ops.open(agent);
  runUntilSignal({
    log,
    drain: (signal) => agent.drain(signal),
    drainS: settings.drainS,
    close: () => Promise.all([agent.close(), opsServer?.close()]),
  });
  const { operator, nodeId, registration } = agent;
  process.stdout.write(`READY ${JSON.stringify({ operator, nodeId, registration, ops: opsServer?.url })}\n`);
} catch (error) {
  const code = codeOf(error);
  const reason = error instanceof Error ? error.message : String(error);
  log.fatal({ ...(explainFailure(error) ?? { code, reason, err: error }) }, "agent did not start");
  const isConfiguration =
    code === "PROVIDER_MISSING" || code === "SETTING_INVALID" || code === "KEY_UNSAFE" || code === "CHAIN_WRONG";
  process.exit(isConfiguration ? configurationExitCode : 1);
}

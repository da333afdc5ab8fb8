/**
 * Starts the runners on the configured execution provider. A provider that is not there, or computes wrongly, is
 * found here, in a child process, and answered with what to install; it is replaced by the CPU only where the
 * operator said so.
 */
import { codeOf, NgpuError } from "@ngpu/protocol/errors";
import type { Clock } from "@ngpu/protocol/service/clock";
import type { Log } from "@ngpu/protocol/service/log";
import type { Confinement } from "../pool/confinement.ts";
import { providerNeeds, type ExecutionProvider } from "../pool/executionProvider.ts";
import { createRunnerPool, type RunnerPool } from "../pool/runnerPool.ts";
import type { RunnerModel } from "../pool/runnerProcess.ts";

const startTimeoutMs = 120_000;

export interface StartedPool {
  pool: RunnerPool;
  provider: ExecutionProvider;
}

/** Throws PROVIDER_MISSING, or what made every model unusable. */
export async function startPool(options: {
  provider: ExecutionProvider;
  fallsBackToCpu: boolean;
  models: readonly RunnerModel[];
  slots: number;
  confinement: Confinement;
  clock: Clock;
  log: Log;
}): Promise<StartedPool> {
  const { provider, fallsBackToCpu, log } = options;
  try {
    return { provider, pool: await usablePool(options) };
  } catch (error) {
    if (provider === "cpu") throw error;
    const missing = new NgpuError(
      "PROVIDER_MISSING",
      { provider, needs: providerNeeds[provider], reason: reasonOf(error) },
      { cause: error },
    );
    if (!fallsBackToCpu) throw missing;
    log.warn({ code: missing.code, reason: missing.message }, "executing on the CPU instead");
    return { provider: "cpu", pool: await usablePool({ ...options, provider: "cpu" }) };
  }
}

async function usablePool(options: Parameters<typeof startPool>[0]): Promise<RunnerPool> {
  const { log } = options;
  const pool = await createRunnerPool({ ...options, startTimeoutMs });
  if (pool.loaded.length > 0) {
    for (const { modelId, code, reason } of pool.refused) log.error({ modelId, code, reason }, "model not served");
    return pool;
  }
  await pool.close();
  const [first] = pool.refused;
  throw new NgpuError(first?.code === "PROVIDER_MISSING" ? "PROVIDER_MISSING" : "MODEL_MISMATCH", {
    reason: first?.reason,
  });
}

function reasonOf(error: unknown): string {
  const said = error instanceof NgpuError ? (error.fields.reason ?? error.fields.said ?? codeOf(error)) : String(error);
  return String(said).replaceAll(/\s+/g, " ").slice(0, 200);
}

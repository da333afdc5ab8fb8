/**
 * Starts the runners on the configured execution provider. A provider that is not there, or computes wrongly, is
 * found here, in a child process, and answered with what to install; it is replaced by the CPU only where the
 * operator said so.
 */
import { codeOf, errorCatalogue, NgpuError, type ErrorCode } from "@ngpu/protocol/errors";
import type { Clock } from "@ngpu/protocol/service/clock";
import type { Log } from "@ngpu/protocol/service/log";
import type { Confinement } from "../pool/confinement.ts";
import { providerNeeds, type ExecutionProvider } from "../pool/executionProvider.ts";
import { createRunnerPool, type RunnerPool } from "../pool/runnerPool.ts";
import type { RefusedModel, RunnerModel } from "../pool/runnerProcess.ts";

const startTimeoutMs = 120_000;

export interface StartedPool {
  pool: RunnerPool;
  provider: ExecutionProvider;
  /** Models with runners that execute them. */
  models: readonly RunnerModel[];
  /** Not served until the agent is started again. */
  refused: readonly RefusedModel[];
}

/** Throws PROVIDER_MISSING, or what made every model unusable. */
export async function startPool(options: {
  provider: ExecutionProvider;
  fallsBackToCpu: boolean;
  models: readonly RunnerModel[];
  /** Models whose files are not here. */
  missing: readonly RefusedModel[];
  slots: number;
  confinement: Confinement;
  clock: Clock;
  log: Log;
}): Promise<StartedPool> {
  const { provider, fallsBackToCpu, log } = options;
  try {
    return started(options, provider, await usablePool(options));
  } catch (error) {
    if (provider === "cpu") throw error;
    const missing = new NgpuError(
      "PROVIDER_MISSING",
      { provider, needs: providerNeeds[provider], reason: reasonOf(error) },
      { cause: error },
    );
    if (!fallsBackToCpu) throw missing;
    log.warn({ code: missing.code, reason: missing.message }, "executing on the CPU instead");
    return started(options, "cpu", await usablePool({ ...options, provider: "cpu" }));
  }
}

function started(
  { models, missing, log }: Parameters<typeof startPool>[0],
  provider: ExecutionProvider,
  pool: RunnerPool,
): StartedPool {
  const refused = [...missing, ...pool.refused];
  for (const { modelId, code, reason } of refused) {
    const { meaning, remedy } = errorCatalogue[code as ErrorCode] ?? {};
    log.error({ modelId, code, reason, meaning, remedy }, "model not served until the agent is started again");
  }
  return { pool, provider, models: models.filter(({ modelId }) => pool.loaded.includes(modelId)), refused };
}

async function usablePool(options: Parameters<typeof startPool>[0]): Promise<RunnerPool> {
  const pool = await createRunnerPool({ ...options, startTimeoutMs });
  if (pool.loaded.length > 0) return pool;
  await pool.close();
  const [first] = [...pool.refused, ...options.missing];
  throw new NgpuError(first?.code === "PROVIDER_MISSING" ? "PROVIDER_MISSING" : "MODEL_MISMATCH", {
    reason: first?.reason,
  });
}

function reasonOf(error: unknown): string {
  const said = error instanceof NgpuError ? (error.fields.reason ?? error.fields.said ?? codeOf(error)) : String(error);
  return String(said).replaceAll(/\s+/g, " ").slice(0, 200);
}

/**
 * Runs one payload through a confined runner without any chain: for calibration, the agent's own benchmark, and
 * tests.
 */
import { catalogue } from "@ngpu/protocol/catalogue";
import { codeOf, NgpuError } from "@ngpu/protocol/errors";
import type { TaskResult } from "@ngpu/protocol/results";
import { encodePayload, type Payload } from "@ngpu/protocol/sealed/payload";
import { systemClock } from "@ngpu/protocol/service/clock";
import { locateModel } from "@ngpu/protocol/service/modelFiles";
import { probeConfinement } from "./pool/confinement.ts";
import { startRunner, type RefusedModel, type RunnerModel } from "./pool/runnerProcess.ts";

export interface LocalRunner {
  run(task: {
    model: string;
    payload: Payload;
    timeoutMs?: number;
  }): Promise<{ result: TaskResult; durationMs: number }>;
  close(): Promise<void>;
}

/** Models of the catalogue whose files are here, and why each of the others is not among them. */
export function findModels(folders: readonly string[] = []): { models: RunnerModel[]; missing: RefusedModel[] } {
  const models: RunnerModel[] = [];
  const missing: RefusedModel[] = [];
  for (const { modelId, manifest } of catalogue) {
    try {
      models.push({ modelId, manifest, paths: locateModel(manifest, folders) });
    } catch (error) {
      const reason = error instanceof NgpuError ? `${String(error.fields.file)} ${String(error.fields.reason)}` : "";
      missing.push({ modelId, code: codeOf(error), reason });
    }
  }
  return { models, missing };
}

/** Models of the catalogue with the places of their files. Throws MODEL_MISMATCH when a file is nowhere. */
export function installedModels(folders: readonly string[] = []): RunnerModel[] {
  return catalogue.map(({ modelId, manifest }) => ({ modelId, manifest, paths: locateModel(manifest, folders) }));
}

export async function createLocalRunner(options: { provider?: string } = {}): Promise<LocalRunner> {
  const { provider = "cpu" } = options;
  const models = installedModels();
  const runner = await startRunner({
    models,
    provider,
    confinement: probeConfinement(),
    clock: systemClock,
    startTimeoutMs: 60_000,
  });
  return {
    async run({ model, payload, timeoutMs = 60_000 }) {
      const found = models.find(({ manifest }) => manifest.name === model);
      if (found === undefined) throw new NgpuError("MODEL_UNKNOWN", { model });
      const { result, durationMs } = await runner.execute({
        modelId: found.modelId,
        body: encodePayload(payload),
        timeoutMs,
      });
      return { result: JSON.parse(new TextDecoder().decode(result)) as TaskResult, durationMs };
    },
    async close() {
      runner.kill();
      await runner.ended;
    },
  };
}

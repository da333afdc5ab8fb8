/**
 * One runner process as the agent sees it: started confined and warm, given one body at a time, and ended by SIGKILL
 * whenever it exceeds its time. A runner can end at any moment; whoever waits for it then gets RUNNER_CRASHED, and
 * the agent goes on.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { errorCatalogue, NgpuError, type ErrorCode } from "@ngpu/protocol/errors";
import type { ModelManifest } from "@ngpu/protocol/manifest";
import type { Clock } from "@ngpu/protocol/service/clock";
import type { Hex } from "viem";
import { createPipeDecoder, encodePipeFrame, frameType, type PipeFrame } from "../runner/frames.ts";
import type { Confinement } from "./confinement.ts";
import type { ModelPaths } from "@ngpu/protocol/service/modelFiles";
import { makeRunnerFolder } from "./runnerFolder.ts";

export interface RunnerModel {
  modelId: Hex;
  manifest: ModelManifest;
  paths: ModelPaths;
}

/** A model that is in the catalogue and not served here. */
export interface RefusedModel {
  modelId: string;
  code: string;
  reason: string;
}

export interface Execution {
  /** JSON of the result document. */
  result: Uint8Array;
  /** Unix milliseconds at which the runner began. */
  startMs: number;
  durationMs: number;
}

export interface RunnerProcess {
  pid: number;
  loaded: readonly Hex[];
  refused: readonly RefusedModel[];
  /** Memory after the latest execution. */
  rssMiB(): number;
  execute(task: {
    modelId: Hex;
    body: Uint8Array;
    timeoutMs: number;
    onProgress?: (permille: number) => void;
  }): Promise<Execution>;
  kill(): void;
  /** Resolves when the process has ended, with how it ended. */
  ended: Promise<string>;
}

export interface RunnerOptions {
  models: readonly RunnerModel[];
  provider: string;
  confinement: Confinement;
  clock: Clock;
  startTimeoutMs: number;
  /**
   * Executes each model once before it counts as loaded; false only where a test needs a model that would not survive
   * it.
   */
  warm?: boolean;
}

interface Waiting {
  accept: (frame: PipeFrame) => void;
  fail: (error: NgpuError) => void;
}

const entry = join(import.meta.dirname, "../runner/runner.ts");
const heapMiB = 512;
/** Node.js maps so much before it does anything, most of it never touched. */
const reservedMiB = 768;
const acceleratorMiB = 64 * 1_024;
/** Read by accelerator libraries to find themselves; they hold no secrets. */
const providerVariables = ["LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "VK_ICD_FILENAMES"];

/**
 * Resolves when the models are loaded. Throws RUNNER_CRASHED or RUNNER_TIMED_OUT when that does not come about, with
 * `modelId` when it was one model that ended the process.
 */
export async function startRunner(options: RunnerOptions): Promise<RunnerProcess> {
  const { models, provider, confinement, clock, startTimeoutMs, warm = true } = options;
  const cwd = makeRunnerFolder();
  const child = spawnRunner({
    cwd,
    provider,
    prefix: confinement.prefix({ memoryMiB: memoryMiBOf(models, provider) }),
  });
  const pipe = child.stdio[3] as Duplex;
  const complaints: Buffer[] = [];
  const decode = createPipeDecoder();
  let waiting: Waiting | undefined;
  let rssMiB = 0;
  let nextId = 1;
  let isOver = false;

  const kill = (): void => {
    child.kill("SIGKILL");
  };
  const ended = new Promise<string>((resolve) => {
    const end = (reason: string): void => {
      if (isOver) return;
      isOver = true;
      rmSync(cwd, { recursive: true, force: true });
      waiting?.fail(
        new NgpuError("RUNNER_CRASHED", { reason, said: Buffer.concat(complaints).toString("utf8").slice(0, 500) }),
      );
      resolve(reason);
    };
    // Two turns of the event loop later, so that what the process said last is read before its end counts.
    child.once("exit", (status, signal) =>
      setImmediate(() => setImmediate(() => end(signal ?? `exit status ${status}`))),
    );
    child.once("error", (error) => end(error.message));
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    if (complaints.length < 16) complaints.push(chunk.subarray(0, 2_048));
  });
  pipe.on("error", kill);
  pipe.on("data", (chunk: Buffer) => {
    try {
      for (const frame of decode(chunk)) waiting?.accept(frame);
    } catch {
      kill();
    }
  });

  /** Sends one frame and waits for the frame that `answer` takes, at most `timeoutMs`. */
  const ask = async <T>(request: {
    frame: Buffer;
    timeoutMs: number;
    answer: (frame: PipeFrame) => T | undefined;
  }): Promise<T> => {
    if (isOver) throw new NgpuError("RUNNER_CRASHED", { reason: "had ended before" });
    if (waiting !== undefined) throw new NgpuError("NODE_BUSY");
    const timer = new AbortController();
    try {
      return await new Promise<T>((resolve, reject) => {
        waiting = {
          fail: reject,
          accept: (frame) => {
            try {
              const value = request.answer(frame);
              if (value !== undefined) resolve(value);
            } catch (error) {
              reject(error as Error);
            }
          },
        };
        clock.sleep(request.timeoutMs, timer.signal).then(() => {
          if (timer.signal.aborted) return;
          reject(new NgpuError("RUNNER_TIMED_OUT", { timeoutMs: request.timeoutMs }));
          kill();
        }, reject);
        pipe.write(request.frame);
      });
    } finally {
      waiting = undefined;
      timer.abort();
    }
  };

  const execute: RunnerProcess["execute"] = ({ modelId, body, timeoutMs, onProgress }) => {
    const id = nextId++;
    const frame = encodePipeFrame({ type: frameType.execute, header: { id, modelId }, bytes: body });
    return ask({
      frame,
      timeoutMs,
      answer: ({ type, header, bytes }) => {
        if (header.id !== id) return undefined;
        if (type === frameType.progress) {
          onProgress?.(Math.min(1_000, count(header.permille)));
          return undefined;
        }
        rssMiB = count(header.rssMiB);
        if (type === frameType.failed) throw errorOf(header);
        return {
          result: Uint8Array.from(bytes),
          startMs: count(header.startMs),
          durationMs: Math.max(1, count(header.durationMs)),
        };
      },
    });
  };

  let loading: unknown;
  try {
    const { loaded, refused } = await ask({
      frame: encodePipeFrame({ type: frameType.load, header: { provider, models, warm } }),
      timeoutMs: startTimeoutMs,
      answer: ({ type, header }) => {
        if (type === frameType.loading) loading = header.modelId;
        return type === frameType.ready ? (header as unknown as Pick<RunnerProcess, "loaded" | "refused">) : undefined;
      },
    });
    return { pid: child.pid ?? 0, loaded, refused, rssMiB: () => rssMiB, execute, kill, ended };
  } catch (error) {
    kill();
    await ended;
    if (!(error instanceof NgpuError) || loading === undefined) throw error;
    throw new NgpuError(error.code, { ...error.fields, modelId: loading }, { cause: error });
  }
}

function spawnRunner({ cwd, provider, prefix }: { cwd: string; provider: string; prefix: string[] }): ChildProcess {
  const command = [...prefix, process.execPath, `--max-old-space-size=${heapMiB}`, entry];
  const passed = provider === "cpu" ? [] : providerVariables.filter((name) => process.env[name] !== undefined);
  const env = {
    ORT_DISABLE_TELEMETRY: "1",
    TMPDIR: cwd,
    HOME: cwd,
    ...Object.fromEntries(passed.map((name) => [name, process.env[name]])),
  };
  return spawn(command[0] ?? process.execPath, command.slice(1), {
    cwd,
    env,
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
}

/**
 * The largest model's own figure, beside what the process reserves for itself; an accelerator maps far more than it
 * uses.
 */
function memoryMiBOf(models: readonly RunnerModel[], provider: string): number {
  const largest = Math.max(0, ...models.map(({ manifest }) => manifest.limits.memoryMiB));
  return reservedMiB + largest + (provider === "cpu" ? 0 : acceleratorMiB);
}

function errorOf(header: Record<string, unknown>): NgpuError {
  const code =
    typeof header.code === "string" && Object.hasOwn(errorCatalogue, header.code)
      ? (header.code as ErrorCode)
      : "MODEL_FAILED";
  return new NgpuError(code, { said: header.message });
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}

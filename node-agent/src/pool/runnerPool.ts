/**
 * The slots of this machine: one warm runner each. A runner that ends is started again after a growing pause, one
 * that has grown too large is replaced while it is idle, and a slot is given to one task at a time.
 */
import { codeOf, NgpuError } from "@ngpu/protocol/errors";
import type { Clock } from "@ngpu/protocol/service/clock";
import type { Log } from "@ngpu/protocol/service/log";
import type { Hex } from "viem";
import { removeStaleRunnerFolders } from "./runnerFolder.ts";
import {
  startRunner,
  type Execution,
  type RefusedModel,
  type RunnerModel,
  type RunnerOptions,
  type RunnerProcess,
} from "./runnerProcess.ts";

export interface Slot {
  /** Number of the slot, from 0; it goes into the receipt. */
  index: number;
  /** Executes on this slot's runner, waiting for a fresh one if the former has just ended. */
  execute(task: {
    modelId: Hex;
    body: Uint8Array;
    timeoutMs: number;
    onProgress?: (permille: number) => void;
  }): Promise<Execution>;
  release(): void;
}

export interface RunnerPool {
  loaded: readonly Hex[];
  /** Never tried again: what is wrong with a model is wrong until somebody corrects its files. */
  refused: readonly RefusedModel[];
  slots: number;
  /** Slots that no task holds and whose runner is ready. */
  freeSlots(): number;
  /** Takes a slot as soon as one is free, first come first served. Throws NODE_BUSY when the signal aborts before. */
  take(signal: AbortSignal): Promise<Slot>;
  /** Ends what executes, with RUNNER_CRASHED, because nobody wants its result any more. */
  callOff(): void;
  close(): Promise<void>;
}

interface Place {
  index: number;
  runner: RunnerProcess | undefined;
  starting: Promise<RunnerProcess>;
  isTaken: boolean;
  pauseMs: number;
}

const firstPauseMs = 100;
const longestPauseMs = 10_000;
/** Share of its memory limit at which an idle runner is replaced. */
const recycleShare = 0.7;

type PoolOptions = RunnerOptions & { slots: number; log: Log };

/** Throws what startRunner throws when the first runner cannot be started for another reason than its models. */
export async function createRunnerPool(given: PoolOptions): Promise<RunnerPool> {
  const { slots, log, clock } = given;
  const closing = new AbortController();
  removeStaleRunnerFolders();
  const { first, models, refused } = await startFirst(given);
  const options = { ...given, models };
  const recycleMiB = Math.min(...models.map(({ manifest }) => manifest.limits.memoryMiB)) * recycleShare;
  const places = Array.from({ length: slots }, (_, index): Place => {
    const starting = index === 0 ? Promise.resolve(first) : startRunner(options);
    return { index, runner: undefined, starting, isTaken: false, pauseMs: firstPauseMs };
  });
  const waiters: ((place: Place) => void)[] = [];
  /** Gives free places to those who wait; one with a warm runner first. */
  const serve = (): void => {
    while (waiters.length > 0) {
      const free = places.filter((place) => !place.isTaken);
      const place = free.find(({ runner }) => runner !== undefined) ?? free[0];
      if (place === undefined) return;
      waiters.shift()?.(place);
    }
  };
  const keepers = places.map((place) =>
    keepRunning({ place, clock, log, signal: closing.signal, start: () => startRunner(options) }),
  );
  await Promise.all(places.map((place) => place.starting.catch(() => undefined)));

  return {
    loaded: first.loaded,
    refused,
    slots,
    freeSlots: () => places.filter((place) => !place.isTaken && place.runner !== undefined).length,
    take: (signal) =>
      new Promise((resolve, reject) => {
        const waiter = (place: Place): void => {
          signal.removeEventListener("abort", leave);
          place.isTaken = true;
          resolve(slotOf({ place, recycleMiB, clock, onRelease: serve }));
        };
        const leave = (): void => {
          waiters.splice(waiters.indexOf(waiter), 1);
          reject(new NgpuError("NODE_BUSY"));
        };
        if (signal.aborted) return reject(new NgpuError("NODE_BUSY"));
        signal.addEventListener("abort", leave, { once: true });
        waiters.push(waiter);
        serve();
      }),
    callOff() {
      for (const { isTaken, runner } of places) if (isTaken) runner?.kill();
    },
    async close() {
      closing.abort();
      for (const place of places)
        place.starting.then(
          (runner) => runner.kill(),
          () => undefined,
        );
      await Promise.all(keepers);
    },
  };
}

/**
 * The first runner with the models that it loaded. A model that ends it, or never ends, is left out of the next try, so
 * that it costs nobody the others.
 */
async function startFirst(
  options: PoolOptions,
): Promise<{ first: RunnerProcess; models: RunnerModel[]; refused: RefusedModel[] }> {
  const refused: RefusedModel[] = [];
  let models = [...options.models];
  for (;;) {
    try {
      const first = await startRunner({ ...options, models });
      refused.push(...first.refused);
      return { first, models: models.filter(({ modelId }) => first.loaded.includes(modelId)), refused };
    } catch (error) {
      const fields = error instanceof NgpuError ? error.fields : {};
      const deadly = models.find(({ modelId }) => modelId === fields.modelId);
      if (deadly === undefined) throw error;
      const reason = `ended its runner while it was loaded and tried: ${String(fields.reason ?? codeOf(error))}`;
      refused.push({ modelId: deadly.modelId, code: codeOf(error), reason });
      models = models.filter((model) => model !== deadly);
    }
  }
}

function slotOf(options: { place: Place; recycleMiB: number; clock: Clock; onRelease: () => void }): Slot {
  const { place, recycleMiB, clock, onRelease } = options;
  let isReleased = false;
  return {
    index: place.index,
    async execute(task) {
      const runner = await withinTime({ starting: place.starting, clock, timeoutMs: task.timeoutMs });
      try {
        const execution = await runner.execute(task);
        place.pauseMs = firstPauseMs;
        return execution;
      } catch (error) {
        const code = codeOf(error);
        // The place must have its next runner in sight before the next task can get it.
        if (code === "RUNNER_CRASHED" || code === "RUNNER_TIMED_OUT") await runner.ended;
        throw error;
      }
    },
    release() {
      if (isReleased) return;
      isReleased = true;
      const free = (): void => {
        place.isTaken = false;
        onRelease();
      };
      const { runner } = place;
      if (runner === undefined || runner.rssMiB() <= recycleMiB) return free();
      runner.kill();
      void runner.ended.then(free);
    },
  };
}

async function withinTime(request: {
  starting: Promise<RunnerProcess>;
  clock: Clock;
  timeoutMs: number;
}): Promise<RunnerProcess> {
  const timer = new AbortController();
  const timeout = request.clock.sleep(request.timeoutMs, timer.signal).then(() => {
    throw new NgpuError("RUNNER_TIMED_OUT", { timeoutMs: request.timeoutMs });
  });
  timeout.catch(() => undefined);
  try {
    return await Promise.race([request.starting, timeout]);
  } finally {
    timer.abort();
  }
}

/** Keeps one place supplied with a runner until the pool closes. */
async function keepRunning(options: {
  place: Place;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
  start: () => Promise<RunnerProcess>;
}): Promise<void> {
  const { place, clock, log, signal, start } = options;
  while (!signal.aborted) {
    try {
      const runner = await place.starting;
      place.runner = runner;
      if (signal.aborted) runner.kill();
      const reason = await runner.ended;
      place.runner = undefined;
      if (!signal.aborted)
        log.info(
          { slot: place.index, pid: runner.pid, reason, pauseMs: place.pauseMs },
          "runner ended; starting another",
        );
    } catch (error) {
      log.warn({ err: error, slot: place.index, pauseMs: place.pauseMs }, "runner did not start");
    }
    if (signal.aborted) return;
    const pauseMs = place.pauseMs;
    place.pauseMs = Math.min(longestPauseMs, pauseMs * 2);
    place.starting = clock.sleep(pauseMs, signal).then(() => {
      if (signal.aborted) throw new NgpuError("RUNNER_CRASHED", { reason: "the agent is stopping" });
      return start();
    });
    place.starting.catch(() => undefined);
  }
}

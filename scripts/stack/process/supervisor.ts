/**
 * Starts the stack's processes and ends them tier by tier, front first; what is still starting when the end comes is
 * ended too.
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { paths } from "../paths.ts";
import { describeEnd } from "./describeEnd.ts";
import { identityOf, isAlive } from "./identity.ts";
import { openRecord } from "./record.ts";
import { startService, type Service, type ServiceOptions } from "./service.ts";

/** A part that can be ended: a service of ours, or one that brings its own way to start. */
export interface Part {
  readonly name: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Ended in this order; within one tier, all at once. */
const tiers = ["front", "agents", "keeper", "gateway", "graph", "store", "base"] as const;
export type Tier = (typeof tiers)[number];

export interface Supervisor {
  readonly logFolder: string;
  start(tier: Tier, service: Pick<ServiceOptions, "name" | "command" | "env" | "ready">): Promise<Service>;
  /**
   * Starts a part that brings its own way to start; it is waited for and ended even when the end comes before it is
   * up.
   */
  adopt<T extends Part>(tier: Tier, start: () => Promise<T>): Promise<T>;
  /** SIGKILL to the part's group, as a crash is; it is not among the parts any more and nobody is told of its end. */
  kill(part: Part): Promise<void>;
  parts(): readonly Part[];
  stop(): Promise<void>;
}

const readyWithinMs = 90_000;
const watchEveryMs = 1_000;
/**
 * A tier that has not ended by then is left to its own SIGKILL while the next one begins, so that the whole ends in
 * time.
 */
const longestTierMs = 2_500;

export function createSupervisor(options: {
  dataDir: string;
  logFolder: string;
  onLost: (part: string, report: string) => void;
}): Supervisor {
  const { dataDir, logFolder, onLost } = options;
  const record = openRecord({ dataDir });
  const running = new Map<Part, Tier>();
  const adopting = new Map<Promise<Part | undefined>, Tier>();
  let stopped: Promise<void> | undefined;

  const keep = (tier: Tier, part: Part): void => {
    running.set(part, tier);
    if (stopped) void part.stop();
  };
  /** A part that we did not start ourselves is looked at every second. */
  const watch = (part: Part): void => {
    record.add(part.name, part.pid);
    const identity = identityOf(part.pid);
    const timer = setInterval(() => {
      if (!stopped && identity && isAlive(identity)) return;
      clearInterval(timer);
      const isMissed = !stopped && running.has(part);
      if (isMissed) onLost(part.name, describeEnd(part.name, "has ended", join(logFolder, `${part.name}.log`)));
    }, watchEveryMs);
    timer.unref();
  };
  const stopTier = async (tier: Tier): Promise<void> => {
    await Promise.all([...adopting].filter(([, of]) => of === tier).map(([part]) => part));
    await Promise.all([...running].filter(([, of]) => of === tier).map(([part]) => part.stop()));
  };
  const stopAll = async (): Promise<void> => {
    const ends: Promise<void>[] = [];
    for (const tier of tiers) {
      const end = stopTier(tier);
      ends.push(end);
      await Promise.race([end, sleep(longestTierMs, undefined, { ref: false })]);
    }
    await Promise.all(ends);
    record.close();
  };

  return {
    logFolder,
    start: (tier, service) =>
      startService({
        ...service,
        cwd: paths.root,
        logFolder,
        record,
        readyWithinMs,
        onSpawn: (part) => keep(tier, part),
        onLost: (report) => onLost(service.name, report),
      }),
    async adopt(tier, start) {
      const starting = start();
      const settled = starting.then(
        (part) => {
          if (part.pid !== process.pid) watch(part);
          keep(tier, part);
          return part;
        },
        () => undefined,
      );
      adopting.set(settled, tier);
      await settled;
      return starting;
    },
    async kill(part) {
      running.delete(part);
      try {
        process.kill(-part.pid, "SIGKILL");
      } catch {
        // The group has ended.
      }
      await part.stop();
    },
    parts: () => [...running.keys()],
    stop() {
      stopped ??= stopAll();
      return stopped;
    },
  };
}

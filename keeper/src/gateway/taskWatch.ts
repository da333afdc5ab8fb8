/**
 * The gateway's knowledge of tasks: follows the chain on a timer and on demand, and waits for a post that is on its
 * way.
 */
import type { Deployment } from "@ngpu/protocol/deployment";
import { NgpuError } from "@ngpu/protocol/errors";
import { explainFailure } from "@ngpu/protocol/service/explainFailure";
import type { ChainIdentity } from "@ngpu/protocol/service/chainIdentity";
import type { Clock } from "@ngpu/protocol/service/clock";
import type { Log } from "@ngpu/protocol/service/log";
import { createLoop } from "@ngpu/protocol/service/loop";
import type { Hex, PublicClient } from "viem";
import { createTaskFollower, type Head } from "../chain/taskFollower.ts";
import type { TaskFacts } from "../chain/taskFacts.ts";
import { withPatience } from "../chain/withPatience.ts";

export interface TaskWatch {
  known(taskId: Hex): TaskFacts | undefined;
  head(): Head | undefined;
  /** True while the chain answers. */
  isLive(): boolean;
  /** Waits up to `waitMs` for the task's post. Throws TASK_UNKNOWN. */
  find(taskId: Hex, waitMs: number): Promise<TaskFacts>;
  /** The facts after reading the newest block: for messages about something newer than what was read. */
  refresh(taskId: Hex): Promise<TaskFacts | undefined>;
  /** The newest block that cannot be taken back; the newest of all where the chain does not say. */
  finalBlock(): Promise<bigint>;
  /** Looks at the chain soon. */
  hint(): void;
  stop(): Promise<void>;
}

/** Most requests that wait for a post at once; further ones are told at once that the task is unknown. */
const mostWaiting = 256;
/** Frames of the same link wait for a refresh, take-overs among them; a lookup may have to read old logs. */
const refreshPatienceMs = 2_000;
const lookupPatienceMs = 15_000;

export function createTaskWatch(options: {
  chain: PublicClient;
  deployment: Deployment;
  pollMs: number;
  clock: Clock;
  log: Log;
  onChange: (facts: TaskFacts) => void;
  identity: ChainIdentity;
  onReset: () => void;
}): TaskWatch {
  const { pollMs, clock, log, chain } = options;
  const follower = createTaskFollower(options);
  let live = false;
  let waiting = 0;

  const loop = createLoop({
    name: "follow chain",
    everyMs: pollMs,
    clock,
    log,
    pass: async () => {
      try {
        await follower.poll();
        if (!live) log.info({ block: follower.head()?.number.toString() }, "following the chain");
        live = true;
      } catch (error) {
        if (live) log.warn({ ...(explainFailure(error) ?? { err: error }) }, "the chain does not answer; asking again");
        live = false;
      }
    },
  });

  async function find(taskId: Hex, waitMs: number): Promise<TaskFacts> {
    const untilMs = clock.monotonicMs() + waitMs;
    for (;;) {
      const facts = await withPatience(follower.lookup(taskId), { clock, ms: lookupPatienceMs });
      if (facts !== undefined) return facts;
      if (clock.monotonicMs() >= untilMs || waiting >= mostWaiting) throw new NgpuError("TASK_UNKNOWN", { taskId });
      waiting += 1;
      await clock.sleep(pollMs);
      waiting -= 1;
    }
  }

  return {
    known: follower.known,
    head: follower.head,
    isLive: () => live,
    find,
    async refresh(taskId) {
      await withPatience(follower.pollAfresh(), { clock, ms: refreshPatienceMs });
      return follower.known(taskId);
    },
    finalBlock: () =>
      withPatience(
        chain.getBlock({ blockTag: "finalized" }).then(
          ({ number }) => number,
          () => chain.getBlockNumber(),
        ),
        { clock, ms: refreshPatienceMs },
      ),
    hint: () => loop.trigger(),
    stop: () => loop.stop(),
  };
}

/**
 * Follows TaskEscrow by reading its logs up to the newest block. The cursor is a hint: the last blocks are read again
 * each time, and when the block under the cursor is no longer the one that was read (reorganisation, chain restart),
 * everything is read anew. An RPC that hangs back answers with a block that was passed: then nothing has happened.
 */
import type { Deployment } from "@ngpu/protocol/deployment";
import { readTask } from "@ngpu/protocol/readTask";
import type { ChainIdentity } from "@ngpu/protocol/service/chainIdentity";
import { readTaskLogs, type TaskLog } from "@ngpu/protocol/taskLogs";
import { BlockNotFoundError, type Hex, type PublicClient } from "viem";
import { applyTaskLog, isDemanded, type TaskFacts } from "./taskFacts.ts";

export interface Head {
  number: bigint;
  hash: Hex;
  /** Chain time in seconds. */
  timestampS: number;
}

export interface TaskFollower {
  /** Reads on to the newest block; a call during a poll shares it. Rejects when the chain does not answer. */
  poll(): Promise<Head>;
  /** As `poll`, but what is read is surely not older than the call. */
  pollAfresh(): Promise<Head>;
  /** The newest block that was read completely. */
  head(): Head | undefined;
  known(taskId: Hex): TaskFacts | undefined;
  /** As `known`, but asks the chain when it is not: for tasks just posted, and for those that ended long ago. */
  lookup(taskId: Hex): Promise<TaskFacts | undefined>;
  open(): TaskFacts[];
  /** Settled tasks whose output the payer demands. */
  demanded(): TaskFacts[];
  /** Tasks that were refunded although nodes had been assigned, out of those that are remembered. */
  refunded(): TaskFacts[];
  /** Declared work of each task that is remembered, in CU·ms. */
  works(): bigint[];
  /**
   * Reads the task's events anew and compares them with the chain's digest: for facts that do not fit it. Throws as
   * `readTask` does, and then the facts are as they were.
   */
  correct(taskId: Hex): Promise<void>;
  /** Block of the node's newest assignment that is known; 0 when none is. */
  lastAssignedBlock(nodeId: number): bigint;
}

const mostPassed = 256;

export function createTaskFollower(options: {
  chain: PublicClient;
  deployment: Deployment;
  /** Blocks below the cursor that are read again, for RPCs whose log index lags behind their head. */
  rereadBlocks?: number;
  /** Most blocks asked for at once. */
  chunkBlocks?: number;
  /** Ended tasks that are remembered. */
  keepEnded?: number;
  /** Told about every task whose facts changed, once per poll. */
  onChange?: (facts: TaskFacts) => void;
  /** Asked whenever what was read does not stand: a chain that began anew is more than a reorganisation. */
  identity?: ChainIdentity;
  /** The chain is another one: nothing that was said so far holds. */
  onReset?: () => void;
}): TaskFollower {
  const { chain, deployment, rereadBlocks = 8, chunkBlocks = 5_000, keepEnded = 20_000, onChange, identity, onReset } = options;
  const firstBlock = BigInt(deployment.deploymentBlock);
  const source = { chain, escrow: deployment.taskEscrow };
  const open = new Map<Hex, TaskFacts>();
  const demanded = new Map<Hex, TaskFacts>();
  const ended = new Map<Hex, TaskFacts>();
  const lastAssigned = new Map<number, bigint>();
  /** Heads below the cursor on its branch, oldest first. */
  const passed = new Set<Hex>();
  let cursor: Head | undefined;
  let polling: Promise<Head> | undefined;
  let following: Promise<Head> | undefined;

  const known = (taskId: Hex): TaskFacts | undefined => open.get(taskId) ?? demanded.get(taskId) ?? ended.get(taskId);

  const poll = (): Promise<Head> => {
    polling ??= readOn().finally(() => (polling = undefined));
    return polling;
  };

  const pollAfresh = (): Promise<Head> => {
    if (polling === undefined) return poll();
    following ??= polling
      .catch(() => undefined)
      .then(() => {
        following = undefined;
        return poll();
      });
    return following;
  };

  async function readOn(): Promise<Head> {
    const head = await headOf(chain);
    if (cursor?.hash === head.hash) return head;
    const isPassed = passed.has(head.hash);
    const stands = cursor !== undefined && (isPassed || (await stillStands(cursor)));
    if (cursor !== undefined && stands && (isPassed || head.number < cursor.number)) return cursor;
    if (!stands) {
      const isReset = await identity?.hasChanged();
      forget();
      if (isReset === true) onReset?.();
    }
    const changed = new Map<Hex, TaskFacts>();
    const from = cursor === undefined ? firstBlock : max(firstBlock, cursor.number + 1n - BigInt(rereadBlocks));
    for (let low = from; low <= head.number; low += BigInt(chunkBlocks)) {
      const high = min(head.number, low + BigInt(chunkBlocks) - 1n);
      for (const log of await readTaskLogs({ ...source, fromBlock: low, toBlock: high })) {
        const facts = apply(log);
        if (facts !== undefined) changed.set(facts.taskId, facts);
      }
    }
    if (cursor !== undefined) passed.add(cursor.hash);
    for (const oldest of passed) {
      if (passed.size <= mostPassed) break;
      passed.delete(oldest);
    }
    cursor = head;
    for (const taskId of ended.keys()) {
      if (ended.size <= keepEnded) break;
      ended.delete(taskId);
    }
    for (const facts of changed.values()) onChange?.(facts);
    return head;
  }

  async function stillStands(read: Head): Promise<boolean> {
    try {
      return (await chain.getBlock({ blockNumber: read.number })).hash === read.hash;
    } catch (error) {
      if (error instanceof BlockNotFoundError) return false;
      throw error;
    }
  }

  function forget(): void {
    open.clear();
    demanded.clear();
    ended.clear();
    lastAssigned.clear();
    passed.clear();
    cursor = undefined;
  }

  function apply(log: TaskLog): TaskFacts | undefined {
    if (log.eventName === "TaskAssigned") {
      for (const { nodeId } of log.args.seats) {
        lastAssigned.set(nodeId, max(lastAssigned.get(nodeId) ?? 0n, log.blockNumber));
      }
    }
    const before = known(log.args.taskId);
    const facts = applyTaskLog(before, log);
    if (facts === undefined || facts === before) return undefined;
    place(facts);
    return facts;
  }

  function place(facts: TaskFacts): void {
    for (const tasks of [open, demanded, ended]) tasks.delete(facts.taskId);
    const tasks = facts.ended === undefined ? open : isDemanded(facts) ? demanded : ended;
    tasks.set(facts.taskId, facts);
  }

  async function correct(taskId: Hex): Promise<void> {
    const { logs } = await readTask({ ...source, taskId, firstBlock });
    const facts = logs.reduce<TaskFacts | undefined>(applyTaskLog, undefined);
    if (facts !== undefined) place(facts);
  }

  async function lookup(taskId: Hex): Promise<TaskFacts | undefined> {
    if (known(taskId) !== undefined) return known(taskId);
    const head = await pollAfresh();
    if (known(taskId) !== undefined || ended.size < keepEnded) return known(taskId);
    let facts: TaskFacts | undefined;
    for (let low = firstBlock; low <= head.number; low += BigInt(chunkBlocks)) {
      const high = min(head.number, low + BigInt(chunkBlocks) - 1n);
      const range = { ...source, fromBlock: low, toBlock: high };
      for (const log of await readTaskLogs({ ...range, taskId })) facts = applyTaskLog(facts, log);
    }
    return facts;
  }

  return {
    poll,
    pollAfresh,
    head: () => cursor,
    known,
    lookup,
    open: () => [...open.values()],
    demanded: () => [...demanded.values()],
    refunded: () => [...ended.values()].filter(({ ended: end, assigned }) => end?.how === "refunded" && assigned !== undefined),
    works: () => [open, demanded, ended].flatMap((tasks) => [...tasks.values()].map(({ terms }) => terms.workCums)),
    correct,
    lastAssignedBlock: (nodeId) => lastAssigned.get(nodeId) ?? 0n,
  };
}

async function headOf(chain: PublicClient): Promise<Head> {
  const block = await chain.getBlock({ blockTag: "latest" });
  return { number: block.number, hash: block.hash, timestampS: Number(block.timestamp) };
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

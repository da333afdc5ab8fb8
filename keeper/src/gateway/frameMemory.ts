/**
 * The last frames of every task, so that a peer that (re)connects is told what it missed. A task that is over keeps
 * them until that can no longer be taken back:
 *   open → ending   the chain says that it is over; a reorganisation that undoes this opens it again
 *   ending → ended  the block is final; only what a client may still ask for is kept
 * In memory and bounded: a gateway that restarts is told again by the nodes' journals, the client and the keepers.
 */
import type { FrameOf } from "@ngpu/protocol/wire";
import type { Hex } from "viem";

export interface TaskFrames {
  /** By node. */
  wraps: Map<number, FrameOf<"wrap">>;
  dispatches: Map<number, FrameOf<"dispatch">>;
  accepts: Map<number, FrameOf<"accept">>;
  progress: Map<number, FrameOf<"progress">>;
  /** By conflict key and node. */
  receipts: Map<string, FrameOf<"receipt">>;
}

export interface FrameMemory {
  /** The task's frames, made when missing. */
  of(taskId: Hex): TaskFrames;
  peek(taskId: Hex): TaskFrames | undefined;
  /** As of this block, the task is over. */
  end(taskId: Hex, block: bigint): void;
  /** The chain says that the task is not over after all; returns its frames when it had been. */
  reopen(taskId: Hex): TaskFrames | undefined;
  /** True while an end is remembered that is not known to be final. */
  awaitsFinality(): boolean;
  /** Nothing up to this block is taken back. */
  finalise(block: bigint): void;
  /** Frames of another assignment than the standing one are of no use any more. */
  keepOnly(taskId: Hex, assignment: number): void;
  open(): Iterable<[Hex, TaskFrames]>;
  clear(): void;
}

export function createFrameMemory(options: { mostTasks: number }): FrameMemory {
  const { mostTasks } = options;
  const open = new Map<Hex, TaskFrames>();
  const ending = new Map<Hex, { frames: TaskFrames; block: bigint }>();
  const ended = new Map<Hex, TaskFrames>();
  const peek = (taskId: Hex): TaskFrames | undefined =>
    open.get(taskId) ?? ending.get(taskId)?.frames ?? ended.get(taskId);

  return {
    of(taskId) {
      const known = peek(taskId);
      if (known !== undefined) return known;
      const frames = {
        wraps: new Map(),
        dispatches: new Map(),
        accepts: new Map(),
        progress: new Map(),
        receipts: new Map(),
      };
      open.set(taskId, frames);
      dropOldest(open, mostTasks);
      return frames;
    },
    peek,
    end(taskId, block) {
      const frames = open.get(taskId) ?? ending.get(taskId)?.frames;
      if (frames === undefined) return;
      open.delete(taskId);
      ending.set(taskId, { frames, block });
      dropOldest(ending, mostTasks);
    },
    reopen(taskId) {
      const frames = ending.get(taskId)?.frames ?? ended.get(taskId);
      if (frames === undefined) return undefined;
      ending.delete(taskId);
      ended.delete(taskId);
      open.set(taskId, frames);
      dropOldest(open, mostTasks);
      return frames;
    },
    awaitsFinality: () => ending.size > 0,
    finalise(block) {
      for (const [taskId, { frames, block: endedAt }] of ending) {
        if (endedAt > block) continue;
        ending.delete(taskId);
        ended.set(taskId, { ...frames, wraps: new Map(), dispatches: new Map(), progress: new Map() });
      }
      dropOldest(ended, Math.ceil(mostTasks / 10));
    },
    keepOnly(taskId, assignment) {
      const frames = open.get(taskId);
      if (frames === undefined) return;
      dropWhere(frames.wraps, ({ wrap }) => wrap.message.assignment !== assignment);
      dropWhere(frames.dispatches, (dispatch) => dispatch.assignment !== assignment);
      dropWhere(frames.accepts, ({ accept }) => accept.message.assignment !== assignment);
      dropWhere(frames.progress, ({ progress }) => progress.message.assignment !== assignment);
      dropWhere(frames.receipts, ({ receipt }) => receipt.message.assignment !== assignment);
    },
    open: () => open,
    clear() {
      for (const frames of [open, ending, ended]) frames.clear();
    },
  };
}

function dropOldest<K, V>(map: Map<K, V>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}

function dropWhere<K, V>(map: Map<K, V>, unwanted: (value: V) => boolean): void {
  for (const [key, value] of map) if (unwanted(value)) map.delete(key);
}

/**
 * The last frames of every task, so that a peer that (re)connects is told what it missed. In memory and bounded: a
 * gateway that restarts is told again by the nodes' journals, the client and the keepers.
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
  /** Keeps what a client may still ask for, drops what nodes and keepers no longer need. */
  end(taskId: Hex): void;
  /** Frames of another assignment than the standing one are of no use any more. */
  keepOnly(taskId: Hex, assignment: number): void;
  open(): Iterable<[Hex, TaskFrames]>;
}

export function createFrameMemory(options: { mostTasks: number }): FrameMemory {
  const { mostTasks } = options;
  const open = new Map<Hex, TaskFrames>();
  const ended = new Map<Hex, TaskFrames>();

  return {
    of(taskId) {
      const known = open.get(taskId) ?? ended.get(taskId);
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
    peek: (taskId) => open.get(taskId) ?? ended.get(taskId),
    end(taskId) {
      const frames = open.get(taskId);
      if (frames === undefined) return;
      open.delete(taskId);
      ended.set(taskId, { ...frames, wraps: new Map(), dispatches: new Map(), progress: new Map() });
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

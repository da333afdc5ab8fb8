/** Key wraps as they arrive, also before their dispatch does: the newest per task, handed to whoever waits for one. */
import { NgpuError } from "@ngpu/protocol/errors";
import type { Signed } from "@ngpu/protocol/signed";
import type { Hex } from "viem";

export interface WrapBox {
  put(wrap: Signed<"keyWrap">): void;
  /**
   * A function whose calls give the wraps for that assignment, each once. It rejects with NOT_ASSIGNED when the
   * signal aborts.
   */
  reader(want: {
    taskId: Hex;
    assignment: number;
    nodeId: number;
    signal: AbortSignal;
  }): () => Promise<Signed<"keyWrap">>;
  forget(taskId: Hex): void;
}

const mostWraps = 512;

export function createWrapBox(): WrapBox {
  const newest = new Map<Hex, Signed<"keyWrap">>();
  const waiting = new Map<Hex, Set<() => void>>();

  return {
    put(wrap) {
      const { taskId } = wrap.message;
      newest.delete(taskId);
      newest.set(taskId, wrap);
      const [oldest] = newest.keys();
      if (newest.size > mostWraps && oldest !== undefined) newest.delete(oldest);
      for (const wake of waiting.get(taskId) ?? []) wake();
    },
    reader({ taskId, assignment, nodeId, signal }) {
      let seen: Signed<"keyWrap"> | undefined;
      const take = (): Signed<"keyWrap"> | undefined => {
        const wrap = newest.get(taskId);
        const fits =
          wrap !== undefined &&
          wrap !== seen &&
          wrap.message.assignment === assignment &&
          wrap.message.nodeId === nodeId;
        if (fits) seen = wrap;
        return fits ? wrap : undefined;
      };
      return () =>
        new Promise((resolve, reject) => {
          const wakers = waiting.get(taskId) ?? new Set();
          waiting.set(taskId, wakers);
          const end = (): void => {
            wakers.delete(wake);
            if (wakers.size === 0) waiting.delete(taskId);
            signal.removeEventListener("abort", leave);
          };
          const wake = (): void => {
            const wrap = take();
            if (wrap === undefined) return;
            end();
            resolve(wrap);
          };
          const leave = (): void => {
            end();
            reject(new NgpuError("NOT_ASSIGNED", { taskId, reason: "the wait for its key ended" }));
          };
          if (signal.aborted) return leave();
          signal.addEventListener("abort", leave, { once: true });
          wakers.add(wake);
          wake();
        });
    },
    forget: (taskId) => void newest.delete(taskId),
  };
}

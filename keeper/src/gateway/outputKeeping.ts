/**
 * Keeps the output of a settled task for as long as it may be demanded and answered for, and a demanded one for a day
 * after that, because the keepers that attested it serve it to the payer. Inputs and outputs of other tasks go by the
 * task's deadline.
 */
import { gatewayLimits } from "@ngpu/protocol/limits";
import type { Hex } from "viem";
import type { DemandWindows } from "../chain/demandWindows.ts";
import type { TaskFacts } from "../chain/taskFacts.ts";
import type { BlobStore } from "./blobStore.ts";

export interface OutputKeeping {
  /** The chain says something new about a task; `chainTimeS` is not before it, but later after a restart. */
  taskChanged(facts: TaskFacts, chainTimeS: number): void;
  /** Applies what was noted since. Rejects when the chain does not answer; then it is applied by the next call. */
  apply(): Promise<void>;
  forget(): void;
}

export function createOutputKeeping(options: {
  store: Pick<BlobStore, "keepUntil">;
  windows: DemandWindows;
}): OutputKeeping {
  const { store, windows } = options;
  const settled = new Map<Hex, number>();
  const demanded = new Map<Hex, number>();

  return {
    taskChanged({ taskId, ended, demand }, chainTimeS) {
      if (ended?.how === "settled" && !settled.has(taskId)) settled.set(taskId, chainTimeS);
      if (demand !== undefined) demanded.set(taskId, demand.answerableUntilS + gatewayLimits.keepAfterDeadlineS);
    },
    async apply() {
      if (settled.size + demanded.size === 0) return;
      const windowsS = await windows.totalS();
      for (const [taskId, atS] of settled) {
        settled.delete(taskId);
        await store.keepUntil(taskId, atS + windowsS);
      }
      for (const [taskId, untilS] of demanded) {
        demanded.delete(taskId);
        await store.keepUntil(taskId, untilS);
      }
    },
    forget() {
      settled.clear();
      demanded.clear();
      windows.forget();
    },
  };
}

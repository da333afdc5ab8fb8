/** Transfers of blobs under way, however they travel: a drain refuses new ones and waits for these. */
import { NgpuError } from "@ngpu/protocol/errors";

export interface Transfers {
  /** Throws GATEWAY_DRAINING once a drain has begun. */
  run<T>(act: () => Promise<T>): Promise<T>;
  /** Resolves when those under way have ended, well or not. */
  drain(): Promise<void>;
}

export function createTransfers(): Transfers {
  const underWay = new Set<Promise<unknown>>();
  let isDraining = false;
  return {
    async run(act) {
      if (isDraining) throw new NgpuError("GATEWAY_DRAINING");
      const running = act();
      underWay.add(running);
      try {
        return await running;
      } finally {
        underWay.delete(running);
      }
    },
    async drain() {
      isDraining = true;
      await Promise.allSettled(underWay);
    },
  };
}

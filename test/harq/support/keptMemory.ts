/** What this process still holds once all that nobody refers to has been collected. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** In bytes: objects, and buffers outside of the heap. */
export function keptMemory(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  // What has a finaliser goes with the second one.
  collect();
  collect();
}

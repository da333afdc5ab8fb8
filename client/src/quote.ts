/** What a task will cost at most, and what it will likely cost, before anything is signed. */
import { maxAmountUsd6 } from "@ngpu/protocol/units";
import type { ModelManifest } from "@ngpu/protocol/manifest";
import { workCumsOf, type Dimensions } from "@ngpu/protocol/work";
import { limits } from "@ngpu/protocol/limits";

export interface Quote {
  workCums: bigint;
  /** Escrowed; no bill can exceed it. */
  maxAmountUsd6: bigint;
  /** Amount if the task takes exactly its declared work. */
  likelyAmountUsd6: bigint;
  /** Duration of the declared work on the reference machine of 1,000 CU. */
  likelyMs: number;
  priceUsd6PerGcums: bigint;
}

const referencePowerCu = 1_000n;

export function quoteTask(request: { manifest: ModelManifest; dimensions: Dimensions; priceUsd6PerGcums: bigint }): Quote {
  const { manifest, dimensions, priceUsd6PerGcums } = request;
  const workCums = workCumsOf({ manifest, dimensions });
  return {
    workCums,
    maxAmountUsd6: maxAmountUsd6({ workCums, priceUsd6PerGcums }),
    likelyAmountUsd6: (workCums * priceUsd6PerGcums) / limits.cumsPerPrice,
    likelyMs: Number(workCums / referencePowerCu),
    priceUsd6PerGcums,
  };
}

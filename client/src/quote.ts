/** What a task will cost at most, and what it will likely cost, before anything is signed. */
import { maxAmountUsd6, standbyUsd6 } from "@ngpu/protocol/units";
import type { ModelManifest } from "@ngpu/protocol/manifest";
import { workCumsOf, type Dimensions } from "@ngpu/protocol/work";
import { limits } from "@ngpu/protocol/limits";

export interface Quote {
  workCums: bigint;
  /** Escrowed: the highest bill, and the standby of every backup asked for; no task can cost more. */
  maxAmountUsd6: bigint;
  /** Bill if the task takes exactly its declared work. */
  likelyAmountUsd6: bigint;
  /** Standby of that bill if every backup holds the input ready and none is needed. */
  likelyStandbyUsd6: bigint;
  /** Duration of the declared work on the reference machine of 1,000 CU. */
  likelyMs: number;
  priceUsd6PerGcums: bigint;
}

const referencePowerCu = 1_000n;

export function quoteTask(request: {
  manifest: ModelManifest;
  dimensions: Dimensions;
  priceUsd6PerGcums: bigint;
  backups: number;
}): Quote {
  const { manifest, dimensions, priceUsd6PerGcums, backups } = request;
  const workCums = workCumsOf({ manifest, dimensions });
  const likelyAmountUsd6 = (workCums * priceUsd6PerGcums) / limits.cumsPerPrice;
  return {
    workCums,
    maxAmountUsd6: maxAmountUsd6({ workCums, priceUsd6PerGcums, backups }),
    likelyAmountUsd6,
    likelyStandbyUsd6: BigInt(backups) * standbyUsd6(likelyAmountUsd6),
    likelyMs: Number(workCums / referencePowerCu),
    priceUsd6PerGcums,
  };
}

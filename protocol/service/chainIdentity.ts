/**
 * Which chain it is that answers: the hash of its first block, which no reorganisation takes back. A local chain that
 * was started anew has the same chain id and the same addresses of contracts, so nothing else tells the two apart.
 */
import { BlockNotFoundError, type Hex, type PublicClient } from "viem";
import { NgpuError } from "../src/errors.ts";
import type { Clock } from "./clock.ts";
import { explainFailure } from "./explainFailure.ts";
import type { Log } from "./log.ts";

export interface ChainIdentity {
  /** True when another chain answers than at the last call; it is logged then. Throws CHAIN_UNREACHABLE. */
  hasChanged(): Promise<boolean>;
  /** What an operator should know of it, until the service is started again. */
  notices(): string[];
}

export function createChainIdentity(options: { chain: PublicClient; clock: Clock; log: Log }): ChainIdentity {
  const { chain, clock, log } = options;
  let known: Hex | undefined;
  let noticed: string | undefined;

  return {
    async hasChanged() {
      const hash = await firstBlock(chain);
      const before = known;
      known = hash ?? before;
      if (before === undefined || hash === undefined || before === hash) return false;
      const reset = new NgpuError("CHAIN_RESET", { before, now: hash });
      noticed = `CHAIN_RESET at ${new Date(clock.nowMs()).toISOString()}: ${reset.entry.meaning}`;
      log.error({ ...explainFailure(reset) }, "the chain began anew; what belonged to the old one is dropped");
      return true;
    },
    notices: () => (noticed === undefined ? [] : [noticed]),
  };
}

/** undefined where the RPC does not keep blocks that old: then a chain that begins anew cannot be told. */
async function firstBlock(chain: PublicClient): Promise<Hex | undefined> {
  try {
    return (await chain.getBlock({ blockNumber: 0n })).hash;
  } catch (cause) {
    if (cause instanceof BlockNotFoundError) return undefined;
    throw new NgpuError("CHAIN_UNREACHABLE", {}, { cause });
  }
}

/** The local chain's past and future in the hands of a test: blocks that are undone, and time that passes. */
import { createTestClient, http } from "viem";
import { hardhat } from "viem/chains";
import { localClient } from "../../../scripts/stack/chain.ts";

export interface Mark {
  /** The newest block when the mark was made; it stays. */
  readonly block: bigint;
  /** Undoes every block above it, and mines another branch that is higher than the one that was. Works once. */
  undo(): Promise<void>;
}

export async function markHistory(rpcUrl: string): Promise<Mark> {
  const client = testClient(rpcUrl);
  const chain = localClient(rpcUrl);
  const id = await client.snapshot();
  const block = await chain.getBlockNumber();
  return {
    block,
    async undo() {
      const highest = await chain.getBlockNumber();
      await client.revert({ id });
      // Followers believe in a branch when it is the longer one.
      await client.mine({ blocks: Number(highest - block) + 1 });
    },
  };
}

export async function passTime(options: { rpcUrl: string; untilS: number }): Promise<void> {
  const { rpcUrl, untilS } = options;
  const client = testClient(rpcUrl);
  await client.setNextBlockTimestamp({ timestamp: BigInt(untilS) });
  await client.mine({ blocks: 1 });
}

function testClient(rpcUrl: string) {
  return createTestClient({ mode: "hardhat", chain: hardhat, transport: http(rpcUrl), cacheTime: 0 });
}

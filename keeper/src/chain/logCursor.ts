/**
 * Reads the logs of some contracts up to a head, each of them at least once. The cursor is a hint: the last blocks are
 * read again each time, and everything is read anew when the block under the cursor is not the one that was read.
 */
import type { Address, Hex, PublicClient, RpcLog } from "viem";
import type { Head } from "./taskFollower.ts";

export interface LogCursor {
  /** `isAnew`: what was read before does not stand, and these are all logs. Rejects when the chain does not answer. */
  readOn(head: Head): Promise<{ isAnew: boolean; logs: RpcLog[] }>;
  forget(): void;
}

const rereadBlocks = 8n;
const chunkBlocks = 5_000n;

export function createLogCursor(options: {
  chain: PublicClient;
  addresses: Address[];
  /** No log is in an earlier block. */
  firstBlock: bigint;
}): LogCursor {
  const { chain, addresses, firstBlock } = options;
  let cursor: Head | undefined;

  async function stillStands({ number, hash }: Head): Promise<boolean> {
    const block = await chain.getBlock({ blockNumber: number }).catch(() => undefined);
    return block?.hash === hash;
  }

  return {
    async readOn(head) {
      if (cursor?.hash === head.hash) return { isAnew: false, logs: [] };
      const isAnew = cursor === undefined || head.number < cursor.number || !(await stillStands(cursor));
      const next = isAnew || cursor === undefined ? firstBlock : cursor.number + 1n - rereadBlocks;
      const logs: RpcLog[] = [];
      for (let low = next > firstBlock ? next : firstBlock; low <= head.number; low += chunkBlocks) {
        const last = low + chunkBlocks - 1n;
        const high = last < head.number ? last : head.number;
        const range = { address: addresses, fromBlock: hexOf(low), toBlock: hexOf(high) };
        logs.push(...(await chain.request({ method: "eth_getLogs", params: [range] })));
      }
      cursor = head;
      return { isAnew, logs };
    },
    forget: () => (cursor = undefined),
  };
}

function hexOf(value: bigint): Hex {
  return `0x${value.toString(16)}`;
}

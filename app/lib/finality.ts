/**
 * When a mined transaction can no longer be undone. A chain that marks blocks as finalised is believed; the local
 * chain finalises every block at once, so it is given a depth of a few blocks, and both states can be seen there as
 * well.
 */
import type { Hash } from "viem";
import { localChainId } from "./chain.ts";

const localDepth = 4n;

export interface ChainHead {
  number: bigint;
  /** Chain time in seconds. */
  timestamp: bigint;
  /** Newest block that cannot be undone. */
  finalised: bigint;
  /** Hash of the first block where it may change: a local chain that begins anew has another one. */
  genesis?: Hash | undefined;
}

export type Finality = { kind: "final" } | { kind: "reversible"; untilBlock: bigint | undefined };

export function finalisedBlock(options: { chainId: number; head: bigint; finalisedTag: bigint }): bigint {
  const { chainId, head, finalisedTag } = options;
  if (chainId !== localChainId) return finalisedTag;
  return head > localDepth ? head - localDepth : 0n;
}

export function finalityOf(options: { chainId: number; block: bigint; head: ChainHead }): Finality {
  const { chainId, block, head } = options;
  if (block <= head.finalised) return { kind: "final" };
  return { kind: "reversible", untilBlock: chainId === localChainId ? block + localDepth : undefined };
}

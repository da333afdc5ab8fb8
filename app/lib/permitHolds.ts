/**
 * Whether a signed permit can still be used: the same account, the same chain, and by the chain's clock enough time
 * left for a transaction to be mined.
 */
import type { Address } from "viem";
import type { ChainHead } from "./finality.ts";

const reserveS = 60n;

export function permitHolds(signed: {
  owner: Address;
  deadline: bigint;
  genesis: ChainHead["genesis"];
  now: { owner: Address | undefined; head: ChainHead | undefined };
}): boolean {
  const { owner, head } = signed.now;
  if (signed.owner !== owner) return false;
  return head === undefined || (head.genesis === signed.genesis && signed.deadline > head.timestamp + reserveS);
}

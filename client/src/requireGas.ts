/** What a wallet would refuse in its own words, or not at all, is said with figures before it is asked. */
import { NgpuError } from "@ngpu/protocol/errors";
import type { Account, PublicClient } from "viem";

/** Throws GAS_SHORT with `heldWei` and `neededWei`. */
export async function requireGas(options: {
  chain: PublicClient;
  request: Parameters<PublicClient["estimateContractGas"]>[0] & { account: Account };
}): Promise<void> {
  const { chain, request } = options;
  const { address } = request.account;
  const [gas, { maxFeePerGas }, heldWei] = await Promise.all([
    // By its address: a local account would be asked for its nonce and fees as well.
    chain.estimateContractGas({ ...request, account: address }),
    chain.estimateFeesPerGas(),
    chain.getBalance({ address }),
  ]);
  const neededWei = gas * maxFeePerGas;
  if (heldWei < neededWei) throw new NgpuError("GAS_SHORT", { heldWei, neededWei });
}

/** Where the contracts of a chain are, as the services take it. */
import type { Address } from "viem";
import { NgpuError } from "./errors.ts";
import { deployments } from "./generated/deployments.ts";

export interface Deployment {
  readonly accessManager: Address;
  readonly nodeRegistry: Address;
  readonly paymentVault: Address;
  readonly priceOracle: Address;
  readonly sessionSettlement: Address;
  readonly stakeVault: Address;
  readonly taskEscrow: Address;
  readonly scoreBoard: Address;
  readonly selection: Address;
  readonly assignment: Address;
  readonly keeperBonds: Address;
  readonly availability: Address;
  readonly disputes: Address;
  readonly keeperCommittee: Address;
  readonly roleGuard: Address;
  /** No event of these contracts is in an earlier block. */
  readonly deploymentBlock: number;
  /** The tokens and the price feed; those of a local chain come with a faucet. */
  readonly ngpuToken: Address;
  readonly localUsd?: Address;
  readonly localPriceFeed?: Address;
  readonly faucet?: Address;
  readonly localSeedSource?: Address;
  /** On a public chain, where ngpuToken is the stake token. */
  readonly paymentToken?: Address;
}

/** Throws CHAIN_WRONG when the contracts are not known to be on that chain. */
export function deploymentOf(chainId: number): Deployment {
  const known: Partial<Record<number, Deployment>> = deployments;
  const found = known[chainId];
  if (found === undefined) throw new NgpuError("CHAIN_WRONG", { chainId, known: Object.keys(deployments).join(",") });
  return found;
}

/** Addresses of the configured chain's contracts, in the shape the client library takes. */
import { deploymentOf, type Deployment } from "@ngpu/protocol/deployment";
import type { Address } from "viem";

export interface AppDeployment extends Omit<Deployment, "deploymentBlock"> {
  readonly deploymentBlock: bigint;
  /** Token that tasks are paid in. */
  readonly paymentToken: Address;
}

export function appDeployment(chainId: number): AppDeployment {
  const { deploymentBlock, ...addresses } = deploymentOf(chainId);
  const paymentToken = addresses.localUsd ?? addresses.paymentToken;
  if (paymentToken === undefined) throw new Error(`Chain ${chainId} names no payment token.`);
  return { ...addresses, deploymentBlock: BigInt(deploymentBlock), paymentToken };
}

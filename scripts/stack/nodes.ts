/**
 * What a node's owner does, once: test money from the faucet, register with the operator's consent that the agent
 * printed, stake the minimum of the class, and declare the models, without which the node is in no draw.
 */
import { catalogue } from "@ngpu/protocol/catalogue";
import { deployments } from "@ngpu/protocol/generated/deployments";
import { faucetAbi } from "@ngpu/protocol/generated/abi/faucet";
import { ngpuTokenAbi } from "@ngpu/protocol/generated/abi/ngpuToken";
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import { stakeVaultAbi } from "@ngpu/protocol/generated/abi/stakeVault";
import type { Account, Address, Hex } from "viem";
import { localWallet } from "./localWallet.ts";

/** The code for the owner, out of what an agent printed when it was up. */
export function readRegistration(readyText: string): string {
  const { registration } = JSON.parse(readyText) as { registration: string };
  return registration;
}

const contracts = deployments[31337];
const registry = { address: contracts.nodeRegistry, abi: nodeRegistryAbi } as const;

/** Gives `account` one drip of both tokens. */
export async function drip(options: { rpcUrl: string; account: Account }): Promise<void> {
  const wallet = localWallet(options);
  const faucet = { address: contracts.faucet, abi: faucetAbi } as const;
  await wallet.mined(await wallet.writeContract({ ...faucet, functionName: "drip", args: [options.account.address] }));
}

/** Registers and stakes for `owner`, who has the stake token; resolves with the node's id. */
export async function registerNode(options: { rpcUrl: string; owner: Account; registration: string }): Promise<number> {
  const { rpcUrl, owner, registration } = options;
  const { operator, classId, expiry, signature } = consentOf(registration);
  const wallet = localWallet({ rpcUrl, account: owner });
  const { minimumStakeWei } = await wallet.readContract({ ...registry, functionName: "nodeClass", args: [classId] });
  const args = [operator, owner.address, classId, BigInt(expiry), signature] as const;
  await wallet.mined(await wallet.writeContract({ ...registry, functionName: "register", args }));
  const nodeId = await wallet.readContract({ ...registry, functionName: "nodeOfOperator", args: [operator] });

  const token = { address: contracts.ngpuToken, abi: ngpuTokenAbi } as const;
  const sent = [
    await wallet.writeContract({ ...token, functionName: "approve", args: [contracts.stakeVault, minimumStakeWei] }),
  ];
  // Into the same block: nobody waits for them.
  for (const { modelId } of catalogue) {
    const declare = { ...registry, functionName: "declareModel", args: [nodeId, modelId, true] } as const;
    sent.push(await wallet.writeContract(declare));
  }
  for (const hash of sent) await wallet.mined(hash);
  const vault = { address: contracts.stakeVault, abi: stakeVaultAbi } as const;
  await wallet.mined(await wallet.writeContract({ ...vault, functionName: "stake", args: [nodeId, minimumStakeWei] }));
  return nodeId;
}

/** The code is base64url of the operator's consent in JSON. */
function consentOf(registration: string): { operator: Address; classId: number; expiry: number; signature: Hex } {
  return JSON.parse(Buffer.from(registration, "base64url").toString()) as ReturnType<typeof consentOf>;
}

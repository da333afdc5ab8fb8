/** What a keeper's owner does, once: bond the minimum, so that the keeper may answer for outputs that payers demand. */
import { deployments } from "@ngpu/protocol/generated/deployments";
import { keeperBondsAbi } from "@ngpu/protocol/generated/abi/keeperBonds";
import { ngpuTokenAbi } from "@ngpu/protocol/generated/abi/ngpuToken";
import type { Account } from "viem";
import { localWallet } from "./localWallet.ts";

const { keeperBonds, ngpuToken } = deployments[31337];
const bonds = { address: keeperBonds, abi: keeperBondsAbi } as const;
const token = { address: ngpuToken, abi: ngpuTokenAbi } as const;

/** `account` has the stake token. */
export async function bondKeeper(options: { rpcUrl: string; account: Account }): Promise<void> {
  const wallet = localWallet(options);
  const bondWei = await wallet.readContract({ ...bonds, functionName: "minimumBondWei" });
  await wallet.mined(await wallet.writeContract({ ...token, functionName: "approve", args: [keeperBonds, bondWei] }));
  await wallet.mined(await wallet.writeContract({ ...bonds, functionName: "bond", args: [bondWei] }));
}

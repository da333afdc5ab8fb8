/** A wallet on the local chain whose transactions are waited for: one that is reverted is an error. */
import { createWalletClient, http, publicActions, type Account, type Hex } from "viem";
import { hardhat } from "viem/chains";
import { StackError } from "./stackError.ts";

export function localWallet({ rpcUrl, account }: { rpcUrl: string; account: Account }) {
  const transport = http(rpcUrl);
  const client = createWalletClient({ account, chain: hardhat, transport, pollingInterval: 50, cacheTime: 0 });
  const wallet = client.extend(publicActions);
  return {
    ...wallet,
    async mined(hash: Hex): Promise<void> {
      const { status } = await wallet.waitForTransactionReceipt({ hash });
      if (status !== "success") throw new StackError(`The local chain reverted ${hash}.`);
    },
  };
}

/** A target that asks a contract for what it refuses: to cancel a task that nobody posted. */
import { createWalletClient, http, zeroHash } from "viem";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { deploymentOf } from "@ngpu/protocol/deployment";
import { chainOf, createChain } from "@ngpu/protocol/service/chain";
import { privateKeyToAccount } from "viem/accounts";
import { runTarget } from "../../../scripts/targets/runTarget.ts";

const [rpcUrl = "", key = "0x", sends = "no"] = process.argv.slice(2);

await runTarget(async () => {
  const account = privateKeyToAccount(key as `0x${string}`);
  const escrow = { address: deploymentOf(31_337).taskEscrow, abi: taskEscrowAbi } as const;
  const amounts = { workCums: 0n, priceUsd6PerGcums: 0n, stakeWeiPerUsd6: 0n };
  const terms = { payer: account.address, postedAt: 0, deadline: 0, backups: 0, ...amounts, contentHash: zeroHash };
  const call = { ...escrow, functionName: "cancel", args: [zeroHash, terms], account } as const;
  if (sends === "yes") {
    const wallet = createWalletClient({ account, chain: chainOf(31_337, rpcUrl), transport: http(rpcUrl) });
    await wallet.writeContract(call);
  } else {
    await (await createChain({ rpcUrl, chainId: 31_337 })).simulateContract(call);
  }
});

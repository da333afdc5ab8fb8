/**
 * The contract takes a demand's bond of the payer's balance first and pulls the rest from the wallet: where the balance
 * is short, the vault is allowed exactly that rest, by a transaction before the demand.
 */
import { localUsdAbi } from "@ngpu/protocol/generated/abi/localUsd";
import { paymentVaultAbi } from "@ngpu/protocol/generated/abi/paymentVault";
import { shortfallUsd6 } from "@ngpu/protocol/units";
import type { Account, Address, Chain, PublicClient, Transport, WalletClient } from "viem";
import { clientError } from "./clientError.ts";

export async function allowBond(request: {
  chain: PublicClient;
  wallet: WalletClient<Transport, Chain, Account>;
  deployment: { paymentVault: Address; localUsd: Address };
  bondUsd6: bigint;
}): Promise<void> {
  const { chain, wallet, deployment, bondUsd6 } = request;
  const { address: owner } = wallet.account;
  const vault = { address: deployment.paymentVault, abi: paymentVaultAbi } as const;
  const token = { address: deployment.localUsd, abi: localUsdAbi } as const;
  const [{ availableUsd6 }, allowedUsd6] = await Promise.all([
    chain.readContract({ ...vault, functionName: "accountOf", args: [owner] }),
    chain.readContract({ ...token, functionName: "allowance", args: [owner, vault.address] }),
  ]);
  const restUsd6 = shortfallUsd6({ availableUsd6, neededUsd6: bondUsd6 });
  if (restUsd6 <= allowedUsd6) return;
  const call = { ...token, functionName: "approve", args: [vault.address, restUsd6] } as const;
  const hash = await wallet.writeContract(call).catch((cause: unknown) => {
    throw clientError(cause, "CHAIN_REFUSED");
  });
  await chain.waitForTransactionReceipt({ hash });
}

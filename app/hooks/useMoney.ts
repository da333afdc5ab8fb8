"use client";
/**
 * One account's money by the contracts' word: in the wallet, in the vault, on its way out of it, and what the vault may
 * take from the wallet.
 */
import { localUsdAbi } from "@ngpu/protocol/generated/abi/localUsd";
import { paymentVaultAbi } from "@ngpu/protocol/generated/abi/paymentVault";
import { useQuery } from "@tanstack/react-query";
import type { Address } from "viem";
import { nextPollMs, pollMs } from "../lib/pollMs.ts";
import type { Withdrawal } from "../lib/withdrawalPlan.ts";
import { useChain } from "./useChain.ts";
import { useRuntime } from "./useRuntime.tsx";

export interface Money extends Withdrawal {
  walletUsd6: bigint;
  allowanceUsd6: bigint;
  availableUsd6: bigint;
  reservedUsd6: bigint;
  /** All that was earned and not paid out. */
  creditUsd6: bigint;
  /** The part of it that its payers may still contest; see lib/maturity.ts for how long. */
  immatureUsd6: bigint;
  maturitySeconds: number;
}

export function useMoney({ account, pending = false }: { account: Address | undefined; pending?: boolean }) {
  const { deployment } = useRuntime();
  const chain = useChain();
  return useQuery({
    queryKey: ["money", deployment.paymentVault, account],
    enabled: account !== undefined,
    queryFn: async (): Promise<Money> => {
      const owner = account as Address;
      const token = { address: deployment.paymentToken, abi: localUsdAbi } as const;
      const vault = { address: deployment.paymentVault, abi: paymentVaultAbi } as const;
      const [walletUsd6, allowanceUsd6, inVault, immatureUsd6, maturitySeconds, withdrawal] = await Promise.all([
        chain.readContract({ ...token, functionName: "balanceOf", args: [owner] }),
        chain.readContract({ ...token, functionName: "allowance", args: [owner, deployment.paymentVault] }),
        chain.readContract({ ...vault, functionName: "accountOf", args: [owner] }),
        chain.readContract({ ...vault, functionName: "immatureOf", args: [owner] }),
        chain.readContract({ ...vault, functionName: "maturitySeconds" }),
        chain.readContract({ ...vault, functionName: "withdrawalOf", args: [owner] }),
      ]);
      const { thawingUsd6, unlockAt, obligations } = withdrawal;
      const credit = { ...inVault, immatureUsd6, maturitySeconds };
      return { walletUsd6, allowanceUsd6, ...credit, thawingUsd6, unlockAt, obligations };
    },
    // Every transaction of ours reads it again at once; what others do may show a little later.
    refetchInterval: () => (pending ? pollMs(true) : nextPollMs(12_000)),
  });
}

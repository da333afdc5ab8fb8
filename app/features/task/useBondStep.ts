"use client";
/**
 * The step before a demand: the contract takes the bond of the balance first and pulls the rest from the wallet, so
 * where the balance is short the vault must be allowed exactly that rest.
 */
import { localUsdAbi } from "@ngpu/protocol/generated/abi/localUsd";
import { shortfallUsd6 } from "@ngpu/protocol/units";
import type { Address } from "viem";
import type { Step } from "../../components/StepButton.tsx";
import { useMoney } from "../../hooks/useMoney.ts";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import { useTransact } from "../../hooks/useTransact.ts";
import { contractCall } from "../../lib/contractCall.ts";
import { formatUsd } from "../../lib/format.ts";

export function useBondStep({ account, bondUsd6 }: { account: Address | undefined; bondUsd6: bigint }): Step {
  const { deployment } = useRuntime();
  const transact = useTransact();
  const money = useMoney({ account }).data;
  const availableUsd6 = money?.availableUsd6 ?? 0n;
  const walletUsd6 = money?.walletUsd6 ?? 0n;
  const restUsd6 = shortfallUsd6({ availableUsd6, neededUsd6: bondUsd6 });
  const missing = `Balance and wallet hold ${formatUsd(availableUsd6 + walletUsd6)}, the bond is ${formatUsd(bondUsd6)}: ${formatUsd(
    restUsd6 - walletUsd6,
  )} are missing. Add it to this account.`;
  return {
    id: "bond",
    label: "Allow the bond",
    says: `Your balance has ${formatUsd(availableUsd6)}: this allows the vault to take ${formatUsd(restUsd6)} of your wallet, for the bond alone. It costs only gas.`,
    busy: "Allowing…",
    done: money !== undefined && (restUsd6 === 0n || (money.allowanceUsd6 >= restUsd6 && walletUsd6 >= restUsd6)),
    ...(money === undefined
      ? { blocked: "Your balance is being read." }
      : walletUsd6 < restUsd6
        ? { blocked: missing }
        : {}),
    run: async ({ sent }) => {
      const { paymentToken, paymentVault } = deployment;
      const args = [paymentVault, restUsd6] as const;
      const call = contractCall({ address: paymentToken, abi: localUsdAbi, functionName: "approve", args });
      await transact({ call, onSent: sent });
    },
  };
}

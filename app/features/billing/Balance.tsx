"use client";
/** Money in the vault by the contract's word: available, reserved and earned, and the way out. */
import { paymentVaultAbi } from "@ngpu/protocol/generated/abi/paymentVault";
import type { Address } from "viem";
import { Amount } from "../../components/Amount.tsx";
import { Figure, Figures } from "../../components/Page.tsx";
import { Skeleton } from "../../components/Skeleton.tsx";
import { TxButton } from "../../components/TxButton.tsx";
import { useMoney } from "../../hooks/useMoney.ts";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import { contractCall } from "../../lib/contractCall.ts";

export function Balance({ account }: { account: Address }) {
  const { deployment } = useRuntime();
  const money = useMoney({ account }).data;
  const vault = { address: deployment.paymentVault, abi: paymentVaultAbi } as const;
  return (
    <Figures>
      <Figure
        label="Available"
        note="free in the vault, used before your wallet"
        action={
          <TxButton
            label="Withdraw all"
            quiet
            busy="Withdrawing…"
            says="To your wallet; costs only gas."
            blocked={whyNot(money?.availableUsd6, "Nothing is available to withdraw.")}
            call={() =>
              contractCall({ ...vault, functionName: "withdraw", args: [account, money?.availableUsd6 ?? 0n] })
            }
          />
        }
      >
        {money === undefined ? <Skeleton /> : <Amount value={money.availableUsd6} size="large" />}
      </Figure>
      <Figure label="Reserved" note="locked for open tasks">
        {money === undefined ? <Skeleton /> : <Amount value={money.reservedUsd6} size="large" />}
      </Figure>
      <Figure
        label="Credit"
        note="earned by serving, paid out on request"
        action={
          <TxButton
            label="Pay out credit"
            quiet
            busy="Paying out…"
            says="To your wallet; costs only gas."
            blocked={whyNot(money?.creditUsd6, "Nothing was earned by serving yet.")}
            call={() => contractCall({ ...vault, functionName: "payCredit", args: [account] })}
          />
        }
      >
        {money === undefined ? <Skeleton /> : <Amount value={money.creditUsd6} size="large" />}
      </Figure>
      <Figure label="In the wallet" note="not in the vault">
        {money === undefined ? <Skeleton /> : <Amount value={money.walletUsd6} size="large" />}
      </Figure>
    </Figures>
  );
}

/** The buttons have their place from the first moment, and keep it with what became of them. */
function whyNot(amountUsd6: bigint | undefined, none: string): string | undefined {
  if (amountUsd6 === undefined) return "The contract is asked how much.";
  return amountUsd6 === 0n ? none : undefined;
}

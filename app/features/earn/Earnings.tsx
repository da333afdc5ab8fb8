"use client";
/** Earned money that waits in the vault, and the button that pays it out. */
import { paymentVaultAbi } from "@ngpu/protocol/generated/abi/paymentVault";
import type { Address } from "viem";
import { Amount } from "../../components/Amount.tsx";
import { Card } from "../../components/Card.tsx";
import { CreditNote } from "../../components/CreditNote.tsx";
import { Hash } from "../../components/Hash.tsx";
import { Skeleton } from "../../components/Skeleton.tsx";
import { TxButton } from "../../components/TxButton.tsx";
import { useMoney } from "../../hooks/useMoney.ts";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import { contractCall } from "../../lib/contractCall.ts";
import { whyNoPayout } from "../../lib/maturity.ts";
import styles from "./Earnings.module.css";

export function Earnings({ payout, account }: { payout: Address; account: Address }) {
  const { deployment } = useRuntime();
  const money = useMoney({ account: payout }).data;
  const own = payout.toLowerCase() === account.toLowerCase();
  return (
    <Card
      title="Earned, not paid out yet"
      note={
        own ? (
          "Goes to your account"
        ) : (
          <>
            Goes to <Hash value={payout} label="payout address" />
          </>
        )
      }
    >
      <p className="soft small">
        <CreditNote account={payout} money={money} />
      </p>
      <div className={styles.row}>
        {money === undefined ? <Skeleton width="8em" height="32px" /> : <Amount value={money.creditUsd6} size="hero" />}
        <TxButton
          label="Pay out"
          busy="Paying out…"
          says="Sends all that is payable; costs only gas."
          blocked={money === undefined ? "The contract is asked how much." : whyNoPayout(money)}
          call={() =>
            contractCall({
              address: deployment.paymentVault,
              abi: paymentVaultAbi,
              functionName: "payCredit",
              args: [payout],
            })
          }
        />
      </div>
    </Card>
  );
}

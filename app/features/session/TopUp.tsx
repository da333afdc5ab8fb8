"use client";
/** Puts more into an open session: from the balance first, the rest from the wallet with a permit. */
import { sessionSettlementAbi } from "@ngpu/protocol/generated/abi/sessionSettlement";
import { useState } from "react";
import type { Address, Hex } from "viem";
import { Field } from "../../components/Field.tsx";
import type { Step } from "../../components/StepButton.tsx";
import { TxButton } from "../../components/TxButton.tsx";
import { useMoney } from "../../hooks/useMoney.ts";
import { usePermit } from "../../hooks/usePermit.ts";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import { contractCall } from "../../lib/contractCall.ts";
import { formatUsd } from "../../lib/format.ts";
import { parseAmount } from "../../lib/parseAmount.ts";
import type { SessionPhase } from "../../lib/session/sessionPhase.ts";
import { whyNotTopUp } from "../../lib/session/whyNot.ts";
import styles from "./SessionActions.module.css";

export function TopUp(props: { sessionId: Hex; account: Address; phase: SessionPhase; isPayer: boolean }) {
  const { sessionId, account, phase, isPayer } = props;
  const { deployment } = useRuntime();
  const { paymentToken, paymentVault, sessionSettlement } = deployment;
  const money = useMoney({ account }).data;
  const { permit, sign, forget, refusedBy } = usePermit({ token: paymentToken, spender: paymentVault, owner: account });
  const [text, setText] = useState("");
  const amountUsd6 = parseAmount(text, 6);
  const reachableUsd6 = money === undefined ? undefined : money.availableUsd6 + money.walletUsd6;
  const blocked = whyNotTopUp({ phase, isPayer, amountUsd6, reachableUsd6 });
  const asked = amountUsd6 ?? 0n;
  const shortUsd6 = money === undefined || asked <= money.availableUsd6 ? 0n : asked - money.availableUsd6;
  const covered = shortUsd6 === 0n || (money !== undefined && money.allowanceUsd6 >= shortUsd6);
  const permitStep: Step = {
    id: "permit",
    label: `Sign permit (${formatUsd(shortUsd6)})`,
    says: "Signing costs nothing. It allows the vault to take this amount once, within 20 minutes.",
    done: covered || permit?.value === shortUsd6,
    run: () => sign(shortUsd6),
  };
  return (
    <div className={styles.panel}>
      <Field
        label="Put in more"
        unit="USD"
        hint={
          money === undefined
            ? "…"
            : `${formatUsd(money.availableUsd6)} in your balance, ${formatUsd(money.walletUsd6)} in the wallet.`
        }
        {...(text === "" || amountUsd6 !== undefined ? {} : { error: "A number such as 5 or 0.5." })}
      >
        {(control) => (
          <input
            {...control}
            inputMode="decimal"
            value={text}
            onChange={(event) => setText(event.target.value)}
            autoComplete="off"
          />
        )}
      </Field>
      <TxButton
        label={asked > 0n ? `Top up ${formatUsd(asked)}` : "Top up"}
        quiet
        busy="Topping up…"
        says="It is held for the session; what is not spent comes back. Costs only gas."
        blocked={blocked}
        before={blocked === undefined ? [permitStep] : []}
        call={async () => {
          const { noPermit } = await import("@ngpu/client/permit");
          const used = covered ? noPermit : (permit ?? noPermit);
          const settlement = { address: sessionSettlement, abi: sessionSettlementAbi } as const;
          return contractCall({ ...settlement, functionName: "topUp", args: [sessionId, asked, used] });
        }}
        onRefused={refusedBy}
        onMined={() => {
          forget();
          setText("");
        }}
      />
    </div>
  );
}

"use client";
/** Stake for a machine with a permit, so that it is one signature and one transaction. */
import { faucetAbi } from "@ngpu/protocol/generated/abi/faucet";
import { stakeVaultAbi } from "@ngpu/protocol/generated/abi/stakeVault";
import { useState } from "react";
import type { Address } from "viem";
import { Field } from "../../components/Field.tsx";
import type { Step } from "../../components/StepButton.tsx";
import { TxButton } from "../../components/TxButton.tsx";
import { usePermit } from "../../hooks/usePermit.ts";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import { useStakeToken } from "../../hooks/useStakeToken.ts";
import { useTransact } from "../../hooks/useTransact.ts";
import { contractCall } from "../../lib/contractCall.ts";
import { formatAmount, formatUnitsExact } from "../../lib/format.ts";
import { parseAmount } from "../../lib/parseAmount.ts";
import styles from "./MyNodeCard.module.css";
import type { MyNode } from "./useMyNodes.ts";

const decimals = 18;

export function StakePanel({ node, account }: { node: MyNode; account: Address }) {
  const { deployment } = useRuntime();
  const token = useStakeToken(account).data;
  const transact = useTransact();
  const { ngpuToken, stakeVault } = deployment;
  const { permit, sign, forget, refusedBy } = usePermit({ token: ngpuToken, spender: stakeVault, owner: account });
  const missing = node.minimumStakeWei - (node.stakedWei - node.thawingWei);
  const [text, setText] = useState<string | undefined>(undefined);
  const shown = text ?? (missing > 0n ? formatUnitsExact(missing, decimals) : "");
  const amount = parseAmount(shown, decimals);
  const usable = amount !== undefined && amount > 0n;
  const held = token?.walletWei ?? 0n;

  const funds: Step = {
    id: "funds",
    label: "Get test tokens",
    busy: "The faucet is paying…",
    done: !usable || token === undefined || held >= amount || deployment.faucet === undefined,
    run: async ({ sent }) => {
      const { faucet } = deployment;
      if (faucet === undefined) return;
      await transact({
        call: contractCall({ address: faucet, abi: faucetAbi, functionName: "drip", args: [account] }),
        onSent: sent,
      });
    },
  };
  const permitStep: Step = {
    id: "permit",
    label: usable ? `Sign permit (${ngpu(amount)})` : "Sign permit",
    done: !usable || (token !== undefined && token.allowanceWei >= amount) || permit?.value === amount,
    run: async () => {
      if (usable) await sign(amount);
    },
  };
  const blocked = !usable
    ? "Enter an amount."
    : deployment.faucet === undefined && held < amount
      ? `The wallet holds ${ngpu(held)}.`
      : undefined;
  return (
    <div className={styles.panel}>
      <Field
        label={`Stake for node-${node.nodeId}`}
        unit="NGPU"
        hint={token === undefined ? "…" : `Your wallet holds ${ngpu(held)}.`}
        {...(shown === "" || amount !== undefined ? {} : { error: "A number such as 100 or 0.5." })}
      >
        {(control) => (
          <input
            {...control}
            inputMode="decimal"
            value={shown}
            onChange={(event) => setText(event.target.value)}
            autoComplete="off"
          />
        )}
      </Field>
      <TxButton
        label={usable ? `Stake ${ngpu(amount)}` : "Stake"}
        busy="Staking…"
        says="Moves the amount into the stake vault; it can leave again after the thaw."
        blocked={blocked}
        before={blocked === undefined ? [funds, permitStep] : []}
        call={() => {
          const value = amount ?? 0n;
          const vault = { address: stakeVault, abi: stakeVaultAbi } as const;
          if (permit === undefined || permit.value !== value)
            return contractCall({ ...vault, functionName: "stake", args: [node.nodeId, value] });
          const { deadline, v, r, s } = permit;
          return contractCall({
            ...vault,
            functionName: "stakeWithPermit",
            args: [node.nodeId, value, deadline, v, r, s],
          });
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

function ngpu(value: bigint): string {
  return `${formatAmount({ value, decimals, least: 0, most: 4 }).text} NGPU`;
}

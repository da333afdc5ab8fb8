"use client";
/** Stake for a machine with a permit, so that it is one signature and one transaction. */
import type { permitParams } from "@ngpu/client/permit";
import { faucetAbi } from "@ngpu/protocol/generated/abi/faucet";
import { ngpuTokenAbi } from "@ngpu/protocol/generated/abi/ngpuToken";
import { stakeVaultAbi } from "@ngpu/protocol/generated/abi/stakeVault";
import { useState } from "react";
import type { Address } from "viem";
import { useSignTypedData } from "wagmi";
import { Field } from "../../components/Field.tsx";
import type { Step } from "../../components/StepButton.tsx";
import { TxButton } from "../../components/TxButton.tsx";
import { useChain } from "../../hooks/useChain.ts";
import { useHead } from "../../hooks/useHead.ts";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import { useStakeToken } from "../../hooks/useStakeToken.ts";
import { useTransact } from "../../hooks/useTransact.ts";
import { contractCall } from "../../lib/contractCall.ts";
import { formatAmount, formatUnitsExact } from "../../lib/format.ts";
import { parseAmount } from "../../lib/parseAmount.ts";
import styles from "./MyNodeCard.module.css";
import type { MyNode } from "./useMyNodes.ts";

const decimals = 18;
const permitLifetimeS = 1_200n;

type Permit = ReturnType<typeof permitParams>;

export function StakePanel({ node, account }: { node: MyNode; account: Address }) {
  const { deployment, chainId } = useRuntime();
  const chain = useChain();
  const head = useHead().data;
  const token = useStakeToken(account).data;
  const transact = useTransact();
  const { signTypedDataAsync } = useSignTypedData();
  const missing = node.minimumStakeWei - (node.stakedWei - node.thawingWei);
  const [text, setText] = useState<string | undefined>(undefined);
  const [permit, setPermit] = useState<Permit | undefined>(undefined);
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
  const sign: Step = {
    id: "permit",
    label: usable ? `Sign permit (${ngpu(amount)})` : "Sign permit",
    done: !usable || (token !== undefined && token.allowanceWei >= amount) || permit?.value === amount,
    run: async () => {
      if (!usable || head === undefined) return;
      const { permitParams, permitTypedData } = await import("@ngpu/client/permit");
      const request = { address: deployment.ngpuToken, abi: ngpuTokenAbi } as const;
      const [nonce, tokenName] = await Promise.all([
        chain.readContract({ ...request, functionName: "nonces", args: [account] }),
        chain.readContract({ ...request, functionName: "name" }),
      ]);
      const deadline = head.timestamp + permitLifetimeS;
      const wanted = {
        tokenName,
        tokenVersion: "1",
        chainId,
        owner: account,
        spender: deployment.stakeVault,
        value: amount,
        nonce,
        deadline,
      };
      const signature = await signTypedDataAsync(permitTypedData({ ...wanted, token: deployment.ngpuToken }));
      setPermit(permitParams({ value: amount, deadline, signature }));
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
        before={blocked === undefined ? [funds, sign] : []}
        call={() => {
          const value = amount ?? 0n;
          const vault = { address: deployment.stakeVault, abi: stakeVaultAbi } as const;
          if (permit === undefined || permit.value !== value)
            return contractCall({ ...vault, functionName: "stake", args: [node.nodeId, value] });
          const { deadline, v, r, s } = permit;
          return contractCall({
            ...vault,
            functionName: "stakeWithPermit",
            args: [node.nodeId, value, deadline, v, r, s],
          });
        }}
        onMined={() => {
          setPermit(undefined);
          setText("");
        }}
      />
    </div>
  );
}

function ngpu(value: bigint): string {
  return `${formatAmount({ value, decimals, least: 0, most: 4 }).text} NGPU`;
}

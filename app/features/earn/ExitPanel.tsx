"use client";
/**
 * The way out: begin, wait what the contract says, withdraw; or change one's mind. The countdown runs on chain time.
 */
import { stakeVaultAbi } from "@ngpu/protocol/generated/abi/stakeVault";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Amount } from "../../components/Amount.tsx";
import { Field } from "../../components/Field.tsx";
import { TxButton } from "../../components/TxButton.tsx";
import { useChain } from "../../hooks/useChain.ts";
import { useHead } from "../../hooks/useHead.ts";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import { contractCall } from "../../lib/contractCall.ts";
import { formatDateTime, formatSeconds, formatUnitsExact } from "../../lib/format.ts";
import { parseAmount } from "../../lib/parseAmount.ts";
import styles from "./ExitPanel.module.css";
import type { MyNode } from "./useMyNodes.ts";

export function ExitPanel({ node }: { node: MyNode }) {
  return node.thawingWei > 0n ? <Leaving node={node} /> : <BeginExit node={node} />;
}

function Leaving({ node }: { node: MyNode }) {
  const { deployment } = useRuntime();
  const head = useHead({ pending: true }).data;
  const vault = { address: deployment.stakeVault, abi: stakeVaultAbi } as const;
  const waitS = head === undefined ? undefined : node.unlockAt - Number(head.timestamp);
  const free = waitS !== undefined && waitS <= 0;
  return (
    <div className={styles.panel}>
      <p>
        <Amount kind="wei" value={node.thawingWei} /> {free ? "can be withdrawn now." : "are leaving."}
      </p>
      <p className="soft small" role="timer">
        {waitS === undefined
          ? "…"
          : free
            ? `Free since ${formatDateTime(node.unlockAt)}`
            : `Free in ${formatSeconds(waitS)}, on ${formatDateTime(node.unlockAt)}`}
      </p>
      <div className={styles.buttons}>
        <TxButton
          label="Withdraw"
          busy="Withdrawing…"
          says="To the owner; costs only gas."
          blocked={free ? undefined : "The thaw has not ended."}
          call={() => contractCall({ ...vault, functionName: "withdraw", args: [node.nodeId] })}
        />
        <TxButton
          label="Cancel exit"
          busy="Cancelling…"
          says="The stake counts again at once."
          quiet
          call={() => contractCall({ ...vault, functionName: "cancelExit", args: [node.nodeId] })}
        />
      </div>
    </div>
  );
}

function BeginExit({ node }: { node: MyNode }) {
  const { deployment } = useRuntime();
  const thaw = useThawPeriod();
  const active = node.stakedWei - node.thawingWei;
  const [text, setText] = useState<string | undefined>(undefined);
  const shown = text ?? (active > 0n ? formatUnitsExact(active, 18) : "");
  const amount = parseAmount(shown, 18);
  const over = amount !== undefined && amount > active;
  const blocked =
    active === 0n
      ? "Nothing is staked."
      : amount === undefined || amount === 0n
        ? "Enter an amount."
        : over
          ? "That is more than is active."
          : undefined;
  return (
    <div className={styles.panel}>
      <Field
        label={`Leave with, of node-${node.nodeId}`}
        unit="NGPU"
        hint={
          thaw === undefined
            ? "…"
            : `Free ${formatSeconds(thaw)} after the exit begins. Below the class's minimum it gets no new tasks.`
        }
        {...(over ? { error: "That is more than is active." } : {})}
      >
        {(control) => (
          <input
            {...control}
            inputMode="decimal"
            value={shown}
            disabled={active === 0n}
            onChange={(event) => setText(event.target.value)}
            autoComplete="off"
          />
        )}
      </Field>
      <TxButton
        label="Begin exit"
        busy="Beginning…"
        says="The amount stops counting at once; it can be cancelled."
        quiet
        blocked={blocked}
        call={() =>
          contractCall({
            address: deployment.stakeVault,
            abi: stakeVaultAbi,
            functionName: "beginExit",
            args: [node.nodeId, amount ?? 0n],
          })
        }
        onMined={() => setText(undefined)}
      />
    </div>
  );
}

function useThawPeriod(): number | undefined {
  const { deployment } = useRuntime();
  const chain = useChain();
  const answer = useQuery({
    queryKey: ["thawPeriod", deployment.stakeVault],
    queryFn: () =>
      chain.readContract({ address: deployment.stakeVault, abi: stakeVaultAbi, functionName: "thawPeriod" }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return answer.data;
}

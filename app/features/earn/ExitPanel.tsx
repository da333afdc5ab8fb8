"use client";
/**
 * The way out: begin, wait what the contract says, withdraw; or change one's mind. Several exits may be on their way;
 * the countdowns run on chain time. What fees lock cannot begin to leave.
 */
import { stakeVaultAbi } from "@ngpu/protocol/generated/abi/stakeVault";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Amount } from "../../components/Amount.tsx";
import { Field } from "../../components/Field.tsx";
import { Time } from "../../components/Time.tsx";
import { TxButton } from "../../components/TxButton.tsx";
import { useChain } from "../../hooks/useChain.ts";
import { useHead } from "../../hooks/useHead.ts";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import { contractCall } from "../../lib/contractCall.ts";
import { formatSeconds, formatUnitsExact } from "../../lib/format.ts";
import { parseAmount } from "../../lib/parseAmount.ts";
import { freeStakeWei, splitExits, whyNoExit } from "../../lib/stakeParts.ts";
import styles from "./ExitPanel.module.css";
import type { MyNode } from "./useMyNodes.ts";

export function ExitPanel({ node }: { node: MyNode }) {
  return (
    <div className={styles.panel}>
      {node.exits.length > 0 ? <Leaving node={node} /> : null}
      <BeginExit node={node} />
    </div>
  );
}

function Leaving({ node }: { node: MyNode }) {
  const { deployment } = useRuntime();
  const head = useHead({ pending: true }).data;
  const vault = { address: deployment.stakeVault, abi: stakeVaultAbi } as const;
  const { dueWei, thawing } = splitExits(node.exits, head?.timestamp);
  return (
    <div className={styles.panel}>
      <ul className={styles.exits} aria-label={`Pending exits of node-${node.nodeId}`}>
        {dueWei > 0n ? (
          <li>
            <Amount kind="wei" value={dueWei} /> <span className="soft">can be withdrawn now</span>
          </li>
        ) : null}
        {thawing.map(({ amountWei, unlockAt }, index) => (
          <li key={index}>
            <Amount kind="wei" value={amountWei} />{" "}
            <span className="soft small" role="timer">
              {head === undefined ? "…" : `free in ${formatSeconds(unlockAt - Number(head.timestamp))}, on `}
              {head === undefined ? null : <Time at={unlockAt} />}
            </span>
          </li>
        ))}
      </ul>
      <div className={styles.buttons}>
        <TxButton
          label="Withdraw"
          busy="Withdrawing…"
          says="Every exit that is due, to the owner; costs only gas."
          blocked={dueWei > 0n ? undefined : "No exit has thawed yet."}
          call={() => contractCall({ ...vault, functionName: "withdraw", args: [node.nodeId] })}
        />
        <TxButton
          label={node.exits.length === 1 ? "Cancel exit" : "Cancel all exits"}
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
  const free = freeStakeWei(node);
  const [text, setText] = useState<string | undefined>(undefined);
  const shown = text ?? (free > 0n ? formatUnitsExact(free, 18) : "");
  const amount = parseAmount(shown, 18);
  const over = amount !== undefined && amount > free;
  const { lockedWei, exits } = node;
  const blocked = whyNoExit({ activeWei: active, lockedWei, exits: exits.length, amountWei: amount });
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
        {...(over && blocked !== undefined ? { error: blocked } : {})}
      >
        {(control) => (
          <input
            {...control}
            inputMode="decimal"
            value={shown}
            disabled={free === 0n}
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

"use client";
/** What became of a sent transaction: mined, reversible or final, and whether lists and totals show it yet. */
import type { TransactionReceipt } from "viem";
import { useHead } from "../hooks/useHead.ts";
import { useIndexHealth } from "../hooks/useIndexHealth.ts";
import { useRuntime } from "../hooks/useRuntime.tsx";
import { useWaitedS } from "../hooks/useWaitedS.ts";
import { finalityOf } from "../lib/finality.ts";
import { formatInteger } from "../lib/format.ts";
import { indexWait, indexWordsOfTransaction } from "../lib/indexWords.ts";
import { TxLink } from "./Hash.tsx";
import { Status } from "./Status.tsx";
import styles from "./TxOutcome.module.css";

export function TxOutcome({ receipt }: { receipt: TransactionReceipt }) {
  const { chainId } = useRuntime();
  const { blockNumber, transactionHash } = receipt;
  const head = useHead({ until: blockNumber }).data;
  const final = head !== undefined && finalityOf({ chainId, block: blockNumber, head }).kind === "final";
  const health = useIndexHealth({ pending: !final });
  const indexed = (health.kind === "current" || health.kind === "behind") && health.block >= blockNumber;
  const waitedS = useWaitedS(!indexed);
  const finality = head === undefined ? undefined : finalityOf({ chainId, block: blockNumber, head });
  return (
    <p className={styles.outcome} role="status">
      <Status tone={final ? "final" : "reversible"}>{wordsOf(finality)}</Status>
      <span>
        tx <TxLink hash={transactionHash} />
      </span>
      <span className="soft">{indexWordsOfTransaction[indexWait({ indexed, waitedS })]}</span>
    </p>
  );
}

function wordsOf(finality: ReturnType<typeof finalityOf> | undefined): string {
  if (finality === undefined) return "Mined";
  if (finality.kind === "final") return "Done, final";
  return finality.untilBlock === undefined
    ? "Done, reversible"
    : `Done, reversible until block ${formatInteger(finality.untilBlock)}`;
}

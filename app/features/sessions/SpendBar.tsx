"use client";
/** What of a session's money is spent: the two amounts, and the share as a bar. */
import { Amount } from "../../components/Amount.tsx";
import { Progress } from "../../components/Progress.tsx";
import { spentPermille } from "../../lib/session/spend.ts";
import styles from "./SpendBar.module.css";

export function SpendBar({ paidUsd6, putInUsd6 }: { paidUsd6: bigint; putInUsd6: bigint }) {
  return (
    <div className={styles.spend}>
      <span>
        <Amount value={paidUsd6} /> <span className="soft">of</span> <Amount value={putInUsd6} />
      </span>
      <Progress permille={spentPermille({ paidUsd6, putInUsd6 })} label="Spent of what was put in" />
    </div>
  );
}

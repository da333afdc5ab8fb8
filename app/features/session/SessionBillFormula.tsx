"use client";
/** One record's price with its numbers; the sum is rounded over the whole lane, so the amount may be one unit off it. */
import { Amount } from "../../components/Amount.tsx";
import { Formula, type Term } from "../../components/Formula.tsx";
import { formatInteger } from "../../lib/format.ts";
import type { SessionBillRow } from "../../lib/subgraph/sessionModel.ts";
import styles from "./SessionBills.module.css";

export function SessionBillFormula({ bill }: { bill: SessionBillRow }) {
  const terms: Term[] = [
    {
      value: `${formatInteger(BigInt(bill.durationMs))} ms`,
      meaning: bill.kind === "Standby" ? "standby" : "execution",
    },
    { sign: "×", value: bill.kind === "Standby" ? "1,000" : "10,000", meaning: "weight of a ms" },
    { sign: "×", value: `${formatInteger(BigInt(bill.powerCu))} CU`, meaning: "power of the lane" },
    { sign: "×", value: <Amount value={BigInt(bill.priceUsd6PerGcums)} />, meaning: "price per 10⁹ CU·ms" },
    { sign: "÷", value: "10¹³", meaning: "rounded over the lane" },
    { sign: "=", value: <Amount value={BigInt(bill.amountUsd6)} digits={6} />, meaning: "what it added" },
  ];
  return (
    <div className={styles.formula}>
      <Formula terms={terms} label="How this bill is made" />
    </div>
  );
}

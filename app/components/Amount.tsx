"use client";
/** Money. Tabular, never rounded up, always with its unit; the exact value is in the title and on the clipboard. */
import type { ClipboardEvent } from "react";
import { formatAmount } from "../lib/format.ts";
import styles from "./Amount.module.css";

const units = {
  usd6: { decimals: 6, unit: "USD", least: 2, most: 6 },
  wei: { decimals: 18, unit: "NGPU", least: 0, most: 4 },
} as const;

export interface AmountProps {
  value: bigint;
  kind?: keyof typeof units;
  /** Fixed number of decimals, for columns. */
  digits?: number;
  size?: "hero" | "large" | "normal";
  /** Hide the unit where the column names it. */
  bare?: boolean;
}

export function Amount({ value, kind = "usd6", digits, size = "normal", bare = false }: AmountProps) {
  const { decimals, unit, least, most } = units[kind];
  const formatted = formatAmount({ value, decimals, least: digits ?? least, most: digits ?? most });
  const exact = `${formatted.exact} ${unit}`;
  const copyExact = (event: ClipboardEvent<HTMLSpanElement>): void => {
    if (window.getSelection()?.toString().trim() !== event.currentTarget.textContent?.trim()) return;
    event.clipboardData.setData("text/plain", formatted.exact);
    event.preventDefault();
  };
  return (
    <span className={`${styles.amount} ${styles[size]}`} title={exact} data-exact={formatted.exact} onCopy={copyExact}>
      <span className={styles.value}>{formatted.text}</span>
      {bare ? <span className="visually-hidden"> {unit}</span> : <span className={styles.unit}> {unit}</span>}
    </span>
  );
}

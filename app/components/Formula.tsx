/** A calculation with its numbers in it; under each number stands what it is. */
import type { ReactNode } from "react";
import styles from "./Formula.module.css";

export interface Term {
  /** Sign before the term; none for the first. */
  sign?: "×" | "÷" | "+" | "=";
  value: ReactNode;
  meaning: string;
}

export function Formula({ terms, label }: { terms: readonly Term[]; label: string }) {
  return (
    <div className={styles.formula} role="group" aria-label={label}>
      {terms.map(({ sign, value, meaning }, index) => (
        <span key={index} className={styles.step}>
          {sign === undefined ? null : <span className={styles.sign}>{sign}</span>}
          <span className={styles.term}>
            <span className={styles.value}>{value}</span>
            <span className={styles.meaning}>{meaning}</span>
          </span>
        </span>
      ))}
    </div>
  );
}

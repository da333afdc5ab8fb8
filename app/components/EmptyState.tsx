/** What a place shows before it has anything to show: one sentence and the way forward. */
import type { ReactNode } from "react";
import styles from "./EmptyState.module.css";

export function EmptyState({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <p className={styles.title}>{title}</p>
      {children === undefined ? null : <p className={styles.text}>{children}</p>}
      {action}
    </div>
  );
}

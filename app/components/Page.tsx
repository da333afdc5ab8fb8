/** Heading and body of one page. */
import type { ReactNode } from "react";
import styles from "./Page.module.css";

export function Page(props: { title: string; lead?: ReactNode; actions?: ReactNode; children: ReactNode }) {
  const { title, lead, actions, children } = props;
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <div>
          <h1>{title}</h1>
          {lead === undefined ? null : <p className={styles.lead}>{lead}</p>}
        </div>
        {actions === undefined ? null : <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** `rows` puts six of them into two rows of three, where one row would cut a long amount. */
export function Figures({ children, rows = false }: { children: ReactNode; rows?: boolean }) {
  return <dl className={`${styles.figures} ${rows ? styles.rows : ""}`}>{children}</dl>;
}

export function Figure(props: { label: string; note?: ReactNode; action?: ReactNode; children: ReactNode }) {
  const { label, note, action, children } = props;
  return (
    <div className={styles.figure}>
      <dt>{label}</dt>
      <dd className={styles.value}>{children}</dd>
      {note === undefined ? null : <dd className={styles.note}>{note}</dd>}
      {action === undefined ? null : <dd className={styles.action}>{action}</dd>}
    </div>
  );
}

export function Columns({ children, kind = "even" }: { children: ReactNode; kind?: "even" | "aside" | "task" }) {
  return <div className={`${styles.columns} ${styles[kind]}`}>{children}</div>;
}

export function Stack({ children }: { children: ReactNode }) {
  return <div className={styles.stack}>{children}</div>;
}

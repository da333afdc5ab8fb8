/** A titled region on paper. */
import { useId, type ReactNode } from "react";
import styles from "./Card.module.css";

export function Card(props: {
  title?: string;
  note?: ReactNode;
  actions?: ReactNode;
  flush?: boolean;
  children: ReactNode;
}) {
  const { title, note, actions, flush, children } = props;
  const id = useId();
  return (
    <section className={styles.card} aria-labelledby={title === undefined ? undefined : id}>
      {title === undefined ? null : (
        <header className={styles.head}>
          <div>
            <h2 id={id}>{title}</h2>
            {note === undefined ? null : <p className={styles.note}>{note}</p>}
          </div>
          {actions === undefined ? null : <div className={styles.actions}>{actions}</div>}
        </header>
      )}
      <div className={flush === true ? styles.flush : styles.body}>{children}</div>
    </section>
  );
}

/**
 * Stages of one thing from first to last. What has happened stays where it appeared; what is still to come is named in
 * grey.
 */
import type { ReactNode } from "react";
import { StatusMark, type Tone } from "./Status.tsx";
import styles from "./Timeline.module.css";

export interface TimelineItem {
  id: string;
  title: string;
  tone: Tone;
  /** Said to screen readers beside the title. */
  state: string;
  time?: ReactNode;
  detail?: ReactNode;
}

export function Timeline({ label, items }: { label: string; items: readonly TimelineItem[] }) {
  return (
    <ol className={styles.timeline} aria-label={label}>
      {items.map(({ id, title, tone, state, time, detail }) => (
        <li key={id} className={`${styles.item} ${styles[tone]}`} data-stage={id} data-state={state}>
          <span className={styles.mark}>
            <StatusMark tone={tone} />
          </span>
          <div className={styles.head}>
            <span className={styles.title}>{title}</span>
            <span className="visually-hidden">, {state}</span>
            {time === undefined ? null : <span className={styles.time}>{time}</span>}
          </div>
          {detail === undefined ? null : <div className={styles.detail}>{detail}</div>}
        </li>
      ))}
    </ol>
  );
}

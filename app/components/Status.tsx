/** A state as word and shape; the colour only repeats it. */
import styles from "./Status.module.css";

export type Tone = "waiting" | "working" | "reversible" | "final" | "failed" | "off";

const shapes: Record<Tone, string> = {
  waiting: "M6 1.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9",
  working: "M6 1.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9M6 1.5v9a4.5 4.5 0 0 0 0-9z",
  reversible: "M6 1l5 9H1z",
  final: "M1.5 6.5l3 3l6-7",
  failed: "M2 2l8 8M10 2l-8 8",
  off: "M2 6h8",
};

const filled: Tone[] = ["working"];

export function StatusMark({ tone }: { tone: Tone }) {
  return (
    <svg className={`${styles.mark} ${styles[tone]}`} viewBox="0 0 12 12" aria-hidden="true">
      <path d={shapes[tone]} fill={filled.includes(tone) ? "currentColor" : "none"} fillOpacity="0.9" />
    </svg>
  );
}

export function Status({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className={`${styles.status} ${styles[tone]}`}>
      <StatusMark tone={tone} />
      <span className={styles.word}>{children}</span>
    </span>
  );
}

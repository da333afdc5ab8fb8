/**
 * A note across the region it concerns: what happened, what it cost, what to do. Errors interrupt, the rest is
 * announced politely.
 */
import type { ReactNode } from "react";
import styles from "./Banner.module.css";
import { StatusMark, type Tone } from "./Status.tsx";

export type BannerTone = "neutral" | "warning" | "error" | "good";

const marks: Record<BannerTone, Tone> = { neutral: "off", warning: "reversible", error: "failed", good: "final" };

export function Banner({ tone, title, children }: { tone: BannerTone; title: string; children?: ReactNode }) {
  return (
    <div className={`${styles.banner} ${styles[tone]}`} role={tone === "error" ? "alert" : "status"}>
      <StatusMark tone={marks[tone]} />
      <div>
        <p className={styles.title}>{title}</p>
        {children === undefined ? null : <div className={styles.text}>{children}</div>}
      </div>
    </div>
  );
}

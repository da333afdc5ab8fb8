"use client";
/**
 * A hash or address: shortened to read, whole in the title, copied with one click; a transaction leads to its own
 * page.
 */
import Link from "next/link";
import { useCopy } from "../hooks/useCopy.ts";
import { shortHash } from "../lib/format.ts";
import styles from "./Hash.module.css";

export function Hash({
  value,
  href,
  label,
  copy = true,
}: {
  value: string;
  href?: string;
  label?: string;
  copy?: boolean;
}) {
  const { copied, copy: take } = useCopy(value);
  const text = <code title={value}>{shortHash(value)}</code>;
  return (
    <span className={styles.hash}>
      {href === undefined ? (
        text
      ) : (
        <Link href={href} aria-label={`${label ?? "Transaction"} ${shortHash(value)}`}>
          {text}
        </Link>
      )}
      {copy ? (
        <button
          type="button"
          className={styles.copy}
          onClick={take}
          aria-label={`Copy ${label ?? "value"}`}
        >
          <svg viewBox="0 0 16 16" aria-hidden="true">
            {copied ? <path d="M3 8.5l3.5 3.5L13 4.5" /> : <path d="M5.5 5.5h7v7h-7zM3.5 10.5v-7h7" />}
          </svg>
        </button>
      ) : null}
      <span className="visually-hidden" role="status">
        {copied ? "Copied" : ""}
      </span>
    </span>
  );
}

export function TxLink({ hash }: { hash: string }) {
  return <Hash value={hash} href={`/tx/${hash}`} copy={false} />;
}

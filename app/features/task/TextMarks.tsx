"use client";
/** Recognised lines: a quadrilateral around each on the picture, the text beside it. */
import type { TextResult } from "@ngpu/protocol/results";
import { Banner } from "../../components/Banner.tsx";
import { CopyButton } from "../../components/CopyButton.tsx";
import styles from "./Marks.module.css";

type Line = TextResult["images"][number]["lines"][number];

interface Marking {
  marked: number | undefined;
  onMark: (index: number | undefined) => void;
}

export function TextMarks({ lines, marked, onMark }: { lines: readonly Line[] } & Marking) {
  return lines.map(({ quad }, index) => (
    <polygon
      key={index}
      points={quad.map((corner) => corner.join(",")).join(" ")}
      className={index === marked ? styles.strong : styles.mark}
      onPointerEnter={() => onMark(index)}
      onPointerLeave={() => onMark(undefined)}
    />
  ));
}

export function TextLines(props: { lines: readonly Line[]; truncated: boolean; compact: boolean } & Marking) {
  const { lines, truncated, compact, marked, onMark } = props;
  return (
    <div className={styles.list}>
      <div className={styles.head}>
        <h3>{lines.length === 1 ? "1 line of text" : `${lines.length} lines of text`}</h3>
        {compact ? null : <CopyButton text={lines.map((line) => line.text).join("\n")}>Copy text</CopyButton>}
      </div>
      {truncated ? (
        <Banner tone="warning" title="There is more text than was paid for">
          The lines after the declared limit were not read. Post again with a higher limit to get them all.
        </Banner>
      ) : null}
      <ol className={styles.lines} tabIndex={0} aria-label="Recognised text">
        {lines.map(({ text, confidence }, index) => (
          <li
            key={index}
            data-marked={index === marked ? "" : undefined}
            onPointerEnter={() => onMark(index)}
            onPointerLeave={() => onMark(undefined)}
          >
            <span>{text}</span>
            <span className={styles.confidence} title="Confidence of the model">
              {Math.floor(confidence * 100)} %
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}

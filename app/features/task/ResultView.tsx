"use client";
/** A result drawn on its picture, with what was found beside it. Works for every schema the dApp knows. */
import type { FacesResult, TaskResult, TextResult } from "@ngpu/protocol/results";
import { useState } from "react";
import { Button } from "../../components/Button.tsx";
import { formatInteger } from "../../lib/format.ts";
import { FaceMarks, FaceList } from "./FaceMarks.tsx";
import styles from "./ResultView.module.css";
import { TextLines, TextMarks } from "./TextMarks.tsx";

type ResultImage = TextResult["images"][number] | FacesResult["images"][number];

export function ResultView(props: {
  result: TaskResult;
  /** Picture of the given name, if this device has it. */
  imageUrl: (name: string) => string | undefined;
  compact?: boolean;
}) {
  const { result, imageUrl, compact = false } = props;
  const [page, setPage] = useState(0);
  const [marked, setMarked] = useState<number | undefined>(undefined);
  const image = result.images[page];
  if (image === undefined) return <p className="soft">The result names no image.</p>;
  const turn = (to: number): void => {
    setPage(to);
    setMarked(undefined);
  };
  return (
    <div className={compact ? styles.compact : styles.view}>
      <figure className={styles.figure}>
        <div className={styles.canvas} style={{ aspectRatio: `${image.width} / ${image.height}` }}>
          <Picture url={imageUrl(image.name)} name={image.name} />
          <svg viewBox={`0 0 ${image.width} ${image.height}`} className={styles.marks} aria-hidden="true">
            {"lines" in image ? (
              <TextMarks lines={image.lines} marked={marked} onMark={setMarked} />
            ) : (
              <FaceMarks faces={image.faces} width={image.width} marked={marked} onMark={setMarked} />
            )}
          </svg>
        </div>
        {result.images.length > 1 ? (
          <Pager page={page} count={result.images.length} name={image.name} onTurn={turn} />
        ) : null}
      </figure>
      <div className={styles.found}>
        <Found image={image} marked={marked} onMark={setMarked} compact={compact} />
      </div>
    </div>
  );
}

function Found(props: {
  image: ResultImage;
  marked: number | undefined;
  onMark: (index: number | undefined) => void;
  compact: boolean;
}) {
  const { image, marked, onMark, compact } = props;
  if ("lines" in image)
    return (
      <TextLines
        lines={image.lines}
        truncated={image.truncated === true}
        marked={marked}
        onMark={onMark}
        compact={compact}
      />
    );
  return <FaceList faces={image.faces} marked={marked} onMark={onMark} />;
}

function Picture({ url, name }: { url: string | undefined; name: string }) {
  if (url === undefined) return <p className={styles.absent}>The picture is on the device that posted the task.</p>;
  return <img src={url} alt={`Input ${name}`} className={styles.picture} />;
}

function Pager(props: { page: number; count: number; name: string; onTurn: (to: number) => void }) {
  const { page, count, name, onTurn } = props;
  return (
    <figcaption className={styles.pager}>
      <Button
        small
        disabled={page === 0}
        title={page === 0 ? "This is the first image." : undefined}
        onClick={() => onTurn(page - 1)}
        aria-label="Previous image"
      >
        ←
      </Button>
      <span className="figure small" aria-live="polite">
        {formatInteger(page + 1)} of {formatInteger(count)} · {name}
      </span>
      <Button
        small
        disabled={page === count - 1}
        title={page === count - 1 ? "This is the last image." : undefined}
        onClick={() => onTurn(page + 1)}
        aria-label="Next image"
      >
        →
      </Button>
    </figcaption>
  );
}

"use client";
/** Detected faces: a box and six points each on the picture, the scores beside it. */
import type { FacesResult } from "@ngpu/protocol/results";
import styles from "./Marks.module.css";

type Face = FacesResult["images"][number]["faces"][number];

interface Marking {
  marked: number | undefined;
  onMark: (index: number | undefined) => void;
}

export function FaceMarks({ faces, width, marked, onMark }: { faces: readonly Face[]; width: number } & Marking) {
  return faces.map(({ box, landmarks }, index) => (
    <g
      key={index}
      className={index === marked ? styles.strong : styles.mark}
      onPointerEnter={() => onMark(index)}
      onPointerLeave={() => onMark(undefined)}
    >
      <rect x={box.x} y={box.y} width={box.width} height={box.height} rx={width / 200} />
      {landmarks.map(([x, y], point) => (
        <circle key={point} cx={x} cy={y} r={width / 260} className={styles.point} />
      ))}
    </g>
  ));
}

export function FaceList({ faces, marked, onMark }: { faces: readonly Face[] } & Marking) {
  return (
    <div className={styles.list}>
      <div className={styles.head}>
        <h3>{faces.length === 1 ? "1 face" : `${faces.length} faces`}</h3>
      </div>
      <ol className={styles.lines} aria-label="Detected faces">
        {faces.map(({ score, box, landmarks }, index) => (
          <li
            key={index}
            data-marked={index === marked ? "" : undefined}
            onPointerEnter={() => onMark(index)}
            onPointerLeave={() => onMark(undefined)}
          >
            <span>
              {Math.round(box.width)} × {Math.round(box.height)} px, {landmarks.length} landmarks
            </span>
            <span className={styles.confidence} title="Confidence of the model">
              {Math.floor(score * 100)} %
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}

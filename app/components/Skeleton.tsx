/** Holds the place of a value that is being read, in its final size. */
import styles from "./Skeleton.module.css";

export function Skeleton({ width = "6em", height = "1em" }: { width?: string; height?: string }) {
  return <span className={styles.skeleton} style={{ width, height }} aria-hidden="true" />;
}

export function SkeletonRows({ rows = 4 }: { rows?: number }) {
  return (
    <div className={styles.rows} role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, index) => (
        <Skeleton key={index} width={`${92 - ((index * 17) % 40)}%`} height="14px" />
      ))}
    </div>
  );
}

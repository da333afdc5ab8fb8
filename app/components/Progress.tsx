/** How far an execution has come, as a bar with its number. */
import styles from "./Progress.module.css";

export function Progress({ permille, label }: { permille: number; label: string }) {
  const percent = Math.floor(Math.min(1_000, Math.max(0, permille)) / 10);
  return (
    <div className={styles.progress}>
      <div
        className={styles.track}
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
      >
        <div className={styles.bar} style={{ width: `${percent}%` }} />
      </div>
      <span className={styles.figure}>{percent} %</span>
    </div>
  );
}

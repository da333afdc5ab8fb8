/** A labelled control with its hint and its error, tied together for screen readers. */
import { useId, type ReactNode } from "react";
import styles from "./Field.module.css";

export interface ControlProps {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean | undefined;
  className: string | undefined;
}

export function Field(props: {
  label: string;
  hint?: ReactNode;
  error?: string;
  unit?: string;
  children: (control: ControlProps) => ReactNode;
}) {
  const { label, hint, error, unit, children } = props;
  const id = useId();
  const described = error !== undefined || hint !== undefined ? `${id}-note` : undefined;
  const invalid = error === undefined ? undefined : true;
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      <div className={styles.row}>
        {children({ id, "aria-describedby": described, "aria-invalid": invalid, className: styles.control })}
        {unit === undefined ? null : <span className={styles.unit}>{unit}</span>}
      </div>
      {described === undefined ? null : (
        <p id={described} className={error === undefined ? styles.hint : styles.error}>
          {error ?? hint}
        </p>
      )}
    </div>
  );
}

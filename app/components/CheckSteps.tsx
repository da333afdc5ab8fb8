/** The steps of one bill's verification with their arithmetic, and the verdict. */
import type { BillCheck } from "@ngpu/client/verifyBill";
import { Banner } from "./Banner.tsx";
import styles from "./CheckSteps.module.css";
import { StatusMark } from "./Status.tsx";

export function CheckSteps({ check }: { check: BillCheck }) {
  const title = check.ok
    ? "Verified: the bill is exactly what the chain's events give"
    : "The bill does not follow from the chain's events";
  return (
    <div className={styles.result}>
      <Banner tone={check.ok ? "good" : "error"} title={title} />
      <ol className={styles.steps} aria-label="Steps of the verification">
        {check.steps.map((step) => (
          <li key={step.what}>
            <StatusMark tone={step.ok ? "final" : "failed"} />
            <div>
              <p>{step.what}</p>
              <p className={styles.arithmetic}>{step.arithmetic}</p>
              <p className={styles.compare}>
                expected {step.expected}, found {step.found}
              </p>
            </div>
          </li>
        ))}
      </ol>
    </div>
  );
}

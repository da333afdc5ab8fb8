"use client";
/**
 * One button for a path of steps. It always names the next step that is not done, runs it, and says what it waits for;
 * a refusal in the wallet leaves a neutral note and the same button. The table of phases is lib/txMachine.ts.
 */
import { useId, useReducer, type ReactNode } from "react";
import { useHydrated } from "../hooks/useHydrated.ts";
import { explainError } from "../lib/explainError.ts";
import { idle, txMachine, type Phase } from "../lib/txMachine.ts";
import { Banner } from "./Banner.tsx";
import { Button } from "./Button.tsx";
import styles from "./StepButton.module.css";

export interface Step {
  id: string;
  /** Names the step on the button. */
  label: string;
  done: boolean;
  /** Why the step cannot be taken now; shown beside the disabled button. */
  blocked?: string;
  /** What the step will do and cost, below the button. */
  says?: string;
  /** Label while the chain works on it. */
  busy?: string;
  /** Reports once the wallet has sent something. */
  run: (report: { sent: () => void }) => Promise<void>;
}

export function StepButton(props: {
  steps: readonly Step[];
  wide?: boolean;
  quiet?: boolean;
  /** What the step will do and cost. */
  says?: ReactNode;
  /** Shown below, once the step has led to something. */
  children?: ReactNode;
}) {
  const { steps, wide = true, quiet = false, says, children } = props;
  const hydrated = useHydrated();
  const why = useId();
  const [state, dispatch] = useReducer(txMachine, idle);
  const step = steps.find((entry) => !entry.done);
  if (step === undefined) return null;
  const busy = state.phase !== "idle";
  const run = async (): Promise<void> => {
    dispatch({ type: "ask" });
    try {
      await step.run({ sent: () => dispatch({ type: "sent" }) });
      dispatch({ type: "done" });
    } catch (error) {
      dispatch({ type: "stop", explanation: explainError(error) });
    }
  };
  const label = labelOf(step, state.phase);
  return (
    <div className={wide ? styles.wide : styles.narrow}>
      <Button
        tone={quiet ? "plain" : "primary"}
        wide={wide}
        busy={busy}
        disabled={busy || step.blocked !== undefined || !hydrated}
        data-starting={hydrated || step.blocked !== undefined ? undefined : ""}
        onClick={() => void run()}
        data-step={step.id}
        aria-describedby={step.blocked === undefined ? undefined : why}
      >
        {label}
      </Button>
      {step.blocked !== undefined ? (
        <p className={styles.why} id={why}>
          {step.blocked}
        </p>
      ) : (step.says ?? says) === undefined ? null : (
        <p className={styles.why}>{step.says ?? says}</p>
      )}
      <p className="visually-hidden" role="status">
        {busy ? label : ""}
      </p>
      {state.explanation === undefined || busy ? null : (
        <Banner tone={state.explanation.tone} title={state.explanation.title}>
          {state.explanation.text}
        </Banner>
      )}
      {children}
    </div>
  );
}

function labelOf(step: Step, phase: Phase): string {
  if (phase === "wallet") return step.id === "connect" ? "Connecting…" : "Confirm in your wallet…";
  return phase === "chain" ? (step.busy ?? "Waiting for the block…") : step.label;
}

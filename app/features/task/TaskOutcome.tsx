"use client";
/** How a task ended that brought no result: why, what came back, and the way to try again. Calm, because it is safe. */
import { Amount } from "../../components/Amount.tsx";
import { Banner } from "../../components/Banner.tsx";
import { ButtonLink } from "../../components/Button.tsx";
import type { TimelineRow } from "@ngpu/client/chainTimeline";
import { failureWords } from "./failureWords.ts";
import styles from "./TaskActions.module.css";
import type { TaskModel } from "./useTask.ts";

export function TaskOutcome({ task, isPayer }: { task: TaskModel; isPayer: boolean }) {
  const end = task.rows.find((row) => row.stage === "refunded" || row.stage === "cancelled");
  if (end === undefined) return null;
  const { title, why, advice } = wordsOf(end, task.rows);
  return (
    <div className={styles.action} data-testid="outcome">
      <Banner tone="neutral" title={title}>
        {why} Nothing was billed: <Amount value={end.args.refundUsd6 as bigint} />, the whole escrow, went back to{" "}
        {isPayer ? "your" : "the payer's"} balance. It cost only the gas of the transactions. {advice}
      </Banner>
      {task.modelId === undefined ? null : (
        <ButtonLink href={`/post?model=${task.modelId}&again=${task.taskId}`}>Post again</ButtonLink>
      )}
    </div>
  );
}

const failedReason = 1;

function wordsOf(end: TimelineRow, rows: readonly TimelineRow[]): { title: string; why: string; advice: string } {
  if (end.stage === "cancelled")
    return { title: "Taken back", why: "The payer took it back before a node was assigned.", advice: "" };
  if (end.args.reason === failedReason) {
    const reports = rows
      .filter((row) => row.stage === "attemptFailed")
      .map(({ args }) => `node-${String(args.nodeId)}: ${failureWords[args.status as number] ?? "it failed"}`);
    return {
      title: "Refunded: no assigned node could execute it",
      why: reports.length === 0 ? "Each of them reported so." : `${reports.join("; ")}.`,
      advice: "If it happens again, try other images or another model.",
    };
  }
  return {
    title: "Refunded: not finished in time",
    why: "Nobody delivered by the deadline.",
    advice: "Post it again, perhaps with more time or a backup.",
  };
}

"use client";
/** What the contract allows right now: taking back a task that nobody was assigned to, or one whose time has passed. */
import { errorCatalogue } from "@ngpu/protocol/errors";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { Banner } from "../../components/Banner.tsx";
import { TxButton } from "../../components/TxButton.tsx";
import { useExpirableAt } from "../../hooks/useExpirableAt.ts";
import { useNobodyServes } from "../../hooks/useNobodyServes.ts";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import { contractCall } from "../../lib/contractCall.ts";
import { formatSeconds } from "../../lib/format.ts";
import { requireRowWords } from "../../lib/wordsOfRows.ts";
import styles from "./TaskActions.module.css";
import type { TaskModel } from "./useTask.ts";

const patienceS = 20n;

export function TaskActions({ task, isPayer }: { task: TaskModel; isPayer: boolean }) {
  const { deployment } = useRuntime();
  const expirableAt = useExpirableAt(task);
  const nobody = useNobodyServes(task.modelId);
  const { rows, head, taskId, ended } = task;
  const posted = rows.find((row) => row.stage === "posted");
  if (ended || posted === undefined || head === undefined) return null;
  const escrow = { address: deployment.taskEscrow, abi: taskEscrowAbi } as const;
  if (expirableAt !== undefined && head.timestamp > BigInt(expirableAt)) {
    return (
      <div className={styles.action}>
        <Banner tone="warning" title="The time of this task has passed">
          Nobody delivered in time. Taking it back returns the whole escrow to the payer&apos;s balance; anyone may do
          it, it costs only gas.
        </Banner>
        <TxButton
          label="Take the escrow back"
          busy="Taking it back…"
          call={() => {
            const { terms, standing } = requireRowWords({ taskId, rows });
            return contractCall({ ...escrow, functionName: "expire", args: [taskId, terms, standing] });
          }}
        />
      </div>
    );
  }
  const assigned = rows.some((row) => row.stage === "assigned");
  const waitedS = head.timestamp - posted.timestamp;
  if (!isPayer || assigned || (!nobody && waitedS < patienceS)) return null;
  return (
    <div className={styles.action}>
      <Banner
        tone="neutral"
        title={
          nobody ? errorCatalogue.NOBODY_SERVES.meaning : `No node was assigned for ${formatSeconds(Number(waitedS))}`
        }
      >
        {nobody ? "The task waits for one and comes back at its deadline by itself. " : ""}You can wait, or take the
        task back. Everything returns to your balance; it costs only gas.
      </Banner>
      <TxButton
        label="Take the task back"
        quiet
        busy="Taking it back…"
        call={() => {
          const { terms } = requireRowWords({ taskId, rows });
          return contractCall({ ...escrow, functionName: "cancel", args: [taskId, terms] });
        }}
      />
    </div>
  );
}

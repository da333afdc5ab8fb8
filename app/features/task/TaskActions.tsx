"use client";
/** What the contract allows right now: taking back a task that nobody was assigned to, or one whose time has passed. */
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { useQuery } from "@tanstack/react-query";
import { Banner } from "../../components/Banner.tsx";
import { TxButton } from "../../components/TxButton.tsx";
import { useChain } from "../../hooks/useChain.ts";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import { contractCall } from "../../lib/contractCall.ts";
import { formatSeconds } from "../../lib/format.ts";
import styles from "./TaskActions.module.css";
import type { TaskModel } from "./useTask.ts";

const patienceS = 20n;

export function TaskActions({ task, isPayer }: { task: TaskModel; isPayer: boolean }) {
  const { deployment } = useRuntime();
  const expirableAt = useExpirableAt(task);
  const { rows, head, taskId, ended } = task;
  const posted = rows.find((row) => row.stage === "posted");
  if (ended || posted === undefined || head === undefined) return null;
  const escrow = { address: deployment.taskEscrow, abi: taskEscrowAbi } as const;
  if (expirableAt !== undefined && expirableAt !== 0 && head.timestamp > BigInt(expirableAt)) {
    return (
      <div className={styles.action}>
        <Banner tone="warning" title="The time of this task has passed">
          Nobody delivered in time. Taking it back returns the whole escrow to the payer&apos;s balance; anyone may do
          it, it costs only gas.
        </Banner>
        <TxButton
          label="Take the escrow back"
          busy="Taking it back…"
          call={() => contractCall({ ...escrow, functionName: "expire", args: [taskId] })}
        />
      </div>
    );
  }
  const assigned = rows.some((row) => row.stage === "assigned");
  const waitedS = head.timestamp - posted.timestamp;
  if (!isPayer || assigned || waitedS < patienceS) return null;
  return (
    <div className={styles.action}>
      <Banner tone="neutral" title={`No node was assigned for ${formatSeconds(Number(waitedS))}`}>
        You can wait, or take the task back. Everything returns to your balance; it costs only gas.
      </Banner>
      <TxButton
        label="Take the task back"
        quiet
        busy="Taking it back…"
        call={() => contractCall({ ...escrow, functionName: "cancel", args: [taskId] })}
      />
    </div>
  );
}

function useExpirableAt({ taskId, ended, rows }: TaskModel): number | undefined {
  const { deployment } = useRuntime();
  const chain = useChain();
  const request = {
    address: deployment.taskEscrow,
    abi: taskEscrowAbi,
    functionName: "expirableAt",
    args: [taskId],
  } as const;
  const answer = useQuery({
    queryKey: ["expirableAt", deployment.taskEscrow, taskId],
    queryFn: () => chain.readContract(request),
    enabled: !ended && rows.length > 0,
    refetchInterval: 4_000,
  });
  return answer.data;
}

"use client";
/** One task: what happened and when, left; what came out, right; what it cost, below. */
import type { Hex } from "viem";
import { useAccount } from "wagmi";
import { Banner } from "../../components/Banner.tsx";
import { ButtonLink } from "../../components/Button.tsx";
import { Card } from "../../components/Card.tsx";
import { Hash } from "../../components/Hash.tsx";
import { Columns, Page, Stack } from "../../components/Page.tsx";
import { SkeletonRows } from "../../components/Skeleton.tsx";
import { explainError } from "../../lib/explainError.ts";
import { modelTitle } from "../../lib/models.ts";
import { ResultCard } from "./ResultCard.tsx";
import { TaskActions } from "./TaskActions.tsx";
import { TaskBill } from "./TaskBill.tsx";
import { TaskTimeline } from "./TaskTimeline.tsx";
import { useTask, type TaskModel } from "./useTask.ts";

export function TaskView({ taskId }: { taskId: Hex }) {
  const task = useTask(taskId);
  const modelId = task.modelId;
  const title = modelId === undefined ? "Task" : modelTitle(modelId);
  return (
    <Page
      title={title}
      lead={
        <>
          Task <Hash value={taskId} label="task id" />
        </>
      }
      actions={
        task.ended && modelId !== undefined ? (
          <ButtonLink href={`/post?model=${modelId}&again=${taskId}`}>Post again</ButtonLink>
        ) : null
      }
    >
      <TaskNotes task={task} />
      <Columns kind="task">
        <Card title="Timeline">
          {task.stages === undefined ? <SkeletonRows rows={8} /> : <TaskTimeline task={task} stages={task.stages} />}
        </Card>
        <Stack>
          <ResultCard task={task} />
          <TaskBill task={task} />
        </Stack>
      </Columns>
    </Page>
  );
}

function TaskNotes({ task }: { task: TaskModel }) {
  const { address } = useAccount();
  const payer = task.payer?.toLowerCase();
  if (task.error !== undefined && task.error !== null) {
    const { title, text, tone } = explainError(task.error);
    return (
      <Banner tone={tone} title={title}>
        {text}
      </Banner>
    );
  }
  if (task.unknown) {
    return (
      <Banner tone="warning" title="The chain does not know this task">
        If it was posted a moment ago it appears with the next block; otherwise the link names another chain's task.
      </Banner>
    );
  }
  return (
    <>
      {task.feed.problem === undefined || task.ended ? null : (
        <Banner tone={task.feed.problem.tone} title={task.feed.problem.title}>
          {task.feed.problem.text}
        </Banner>
      )}
      <TaskActions task={task} isPayer={payer !== undefined && payer === address?.toLowerCase()} />
    </>
  );
}

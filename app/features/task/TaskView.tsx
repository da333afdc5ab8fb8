"use client";
/** One task: what happened and when, left; what came out, right; what it cost, below. */
import type { ErrorCode } from "@ngpu/protocol/errors";
import { lazy, Suspense } from "react";
import type { Hex } from "viem";
import { useAccount } from "wagmi";
import { Banner } from "../../components/Banner.tsx";
import { ButtonLink } from "../../components/Button.tsx";
import { Card } from "../../components/Card.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { Hash } from "../../components/Hash.tsx";
import { Columns, Page, Stack } from "../../components/Page.tsx";
import { SkeletonRows } from "../../components/Skeleton.tsx";
import { useRoster } from "../../hooks/useRoster.ts";
import { explainError } from "../../lib/explainError.ts";
import { formatDateTime } from "../../lib/format.ts";
import { modelTitle } from "../../lib/models.ts";
import { ResultCard } from "./ResultCard.tsx";
import { TaskBill } from "./TaskBill.tsx";
import { TaskOutcome } from "./TaskOutcome.tsx";
import { TaskTimeline } from "./TaskTimeline.tsx";
import { useTask, type TaskModel } from "./useTask.ts";

/** Fetched when there may be something to do; most tasks end without it. */
const TaskActions = lazy(async () => ({ default: (await import("./TaskActions.tsx")).TaskActions }));
/** Fetched once there is a bill; it stands below everything, so nothing moves when it comes. */
const PayerWindow = lazy(async () => ({ default: (await import("./PayerWindow.tsx")).PayerWindow }));

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
        task.rows.some((row) => row.stage === "settled") && modelId !== undefined ? (
          <ButtonLink href={`/post?model=${modelId}&again=${taskId}`}>Post again</ButtonLink>
        ) : null
      }
    >
      {task.stages === undefined && !task.unknown ? <Waiting error={task.error} /> : <Known task={task} />}
    </Page>
  );
}

/** Nothing is placed before it is known what stands above it, so that nothing moves. */
function Waiting({ error }: { error: unknown }) {
  return (
    <>
      <ReadError error={error} />
      <Columns kind="task">
        <Card title="Timeline">
          <SkeletonRows rows={8} />
        </Card>
        <Card title="Result">
          <SkeletonRows rows={6} />
        </Card>
      </Columns>
    </>
  );
}

function Known({ task }: { task: TaskModel }) {
  const { address } = useAccount();
  const isPayer = task.payer !== undefined && task.payer.toLowerCase() === address?.toLowerCase();
  return (
    <>
      <TaskNotes task={task} isPayer={isPayer} />
      <Columns kind="task">
        <Card title="Timeline">
          {task.unknown || task.stages === undefined ? (
            <EmptyState title="Nothing of it is on this chain" />
          ) : (
            <TaskTimeline task={task} stages={task.stages} />
          )}
        </Card>
        <Stack>
          <ResultCard task={task} />
          <TaskBill task={task} />
          {task.rows.some((row) => row.stage === "settled") ? (
            <Suspense fallback={null}>
              <PayerWindow task={task} isPayer={isPayer} />
            </Suspense>
          ) : null}
        </Stack>
      </Columns>
    </>
  );
}

function ReadError({ error }: { error: unknown }) {
  if (error === undefined || error === null) return null;
  const { title, text, tone } = explainError(error);
  return (
    <Banner tone={tone} title={title}>
      {text}
    </Banner>
  );
}

function TaskNotes({ task, isPayer }: { task: TaskModel; isPayer: boolean }) {
  if (task.error !== undefined && task.error !== null) return <ReadError error={task.error} />;
  if (task.unknown) {
    return (
      <Banner tone="warning" title="The chain does not know this task">
        {task.feed.local === null || task.feed.local === undefined
          ? "If it was posted a moment ago it appears with the next block; otherwise the link names another chain's task."
          : `This device posted it on ${formatDateTime(Math.floor(task.feed.local.createdAtMs / 1_000))}, on a chain that has begun anew since or is another one. It costs nothing here, and nothing of it can be billed any more. Its images are still on this device.`}
      </Banner>
    );
  }
  return (
    <>
      <TaskOutcome task={task} isPayer={isPayer} />
      {task.ended ? null : <FeedNote task={task} />}
      {task.ended ? null : (
        <Suspense fallback={null}>
          <TaskActions task={task} isPayer={isPayer} />
        </Suspense>
      )}
    </>
  );
}

/** What stands between this device and the gateway; the chain goes on without either. */
function FeedNote({ task: { feed } }: { task: TaskModel }) {
  const roster = useRoster();
  const gone = feed.problem?.code === ("GATEWAY_UNREACHABLE" satisfies ErrorCode) || feed.connection === "lost";
  if (roster.error !== null || gone) {
    return (
      <Banner tone="warning" title="The gateway does not answer">
        The task stands on the chain and its money is safe. This page goes on by itself as soon as the gateway is back;
        what nobody finishes in time comes back to the payer.
      </Banner>
    );
  }
  if (feed.problem === undefined) return null;
  return (
    <Banner tone={feed.problem.tone} title={feed.problem.title}>
      {feed.problem.text}
    </Banner>
  );
}

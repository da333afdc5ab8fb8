"use client";
/** The stages of a task in words; each keeps its place from the first moment. */
import { Timeline, type TimelineItem } from "../../components/Timeline.tsx";
import type { Tone } from "../../components/Status.tsx";
import { Time } from "../../components/Time.tsx";
import type { Stage, StageId } from "../../lib/taskStages.ts";
import { StageDetail } from "./StageDetail.tsx";
import type { TaskModel } from "./useTask.ts";

const titles: Record<StageId, string> = {
  posted: "Posted",
  assigned: "Assigned",
  wrapped: "Key wrapped",
  accepted: "Accepted",
  running: "Running",
  result: "Result",
  settled: "Settled",
  refunded: "Refunded",
  cancelled: "Cancelled",
  demanded: "Output demanded",
  answer: "Keepers answer",
  delivered: "Output delivered",
  forfeited: "Bill forfeited",
  indexed: "Indexed",
};

export function TaskTimeline({ task, stages }: { task: TaskModel; stages: readonly Stage[] }) {
  const items = stages.map((stage) => itemOf(task, stage));
  const current = stages.find((stage) => stage.state === "current");
  const last = stages.at(-1);
  const spoken =
    current === undefined
      ? `${last === undefined ? "" : titles[last.id]}: the task is over`
      : `Waiting for: ${titles[current.id]}`;
  return (
    <>
      <Timeline label="Stages of this task" items={items} />
      <p className="visually-hidden" role="status">
        {spoken}
      </p>
    </>
  );
}

function itemOf(task: TaskModel, stage: Stage): TimelineItem {
  return {
    id: stage.id,
    title: titles[stage.id],
    tone: toneOf(stage),
    state: stateWord(stage),
    ...(stage.atS === undefined ? {} : { time: <Time at={stage.atS} style="clock" /> }),
    detail: <StageDetail task={task} stage={stage} />,
  };
}

function toneOf(stage: Stage): Tone {
  if (stage.state === "failed") return "failed";
  if (stage.state === "current") return "working";
  if (stage.state === "waiting") return "waiting";
  return stage.tx?.finality?.kind === "reversible" ? "reversible" : "final";
}

function stateWord(stage: Stage): string {
  if (stage.state === "current") return "under way";
  if (stage.state === "waiting") return "not yet";
  if (stage.state === "failed") return "ended";
  return stage.tx?.finality?.kind === "reversible" ? "done, reversible" : "done";
}

"use client";
/** Tasks in rows: state, model, when, how long, how much, by whom. */
import Link from "next/link";
import { Amount } from "../../components/Amount.tsx";
import { Status } from "../../components/Status.tsx";
import { Table, type Column } from "../../components/Table.tsx";
import { Time } from "../../components/Time.tsx";
import { formatMs } from "../../lib/format.ts";
import { modelTitle } from "../../lib/models.ts";
import type { TaskRow } from "../../lib/subgraph/model.ts";
import { taskStateWord } from "../../lib/taskState.ts";

export function TaskTable({ tasks, brief = false }: { tasks: readonly TaskRow[]; brief?: boolean }) {
  const columns: Column<TaskRow>[] = [
    { title: "Model", cell: (task) => <Link href={`/tasks/${task.id}`}>{modelTitle(task.modelId)}</Link> },
    { title: "State", cell: (task) => <StateCell task={task} /> },
    { title: "Posted", cell: (task) => <Time at={BigInt(task.postedAt)} /> },
    { title: "Node", cell: (task) => <NodeCell task={task} /> },
    {
      title: "Time",
      figure: true,
      cell: (task) => (task.bill === null ? "–" : formatMs(Number(task.bill.durationMs))),
    },
    { title: "Amount", figure: true, cell: (task) => <AmountCell task={task} /> },
  ];
  const shown = brief ? columns.filter(({ title }) => title !== "Time" && title !== "Node") : columns;
  return <Table caption="Tasks" rows={tasks} keyOf={(task) => task.id} columns={shown} />;
}

function StateCell({ task }: { task: TaskRow }) {
  const { tone, word } = taskStateWord(task);
  return <Status tone={tone}>{word}</Status>;
}

function NodeCell({ task }: { task: TaskRow }) {
  const node = task.bill?.node ?? task.seats?.[0]?.node;
  return node === undefined ? <span className="soft">–</span> : <Link href={`/nodes/${node.id}`}>node-{node.id}</Link>;
}

function AmountCell({ task }: { task: TaskRow }) {
  if (task.bill !== null) return <Amount value={BigInt(task.bill.totalUsd6)} digits={6} />;
  if (task.refundUsd6 !== null) return <Amount value={0n} digits={6} />;
  return (
    <span>
      <span className="soft small">at most </span>
      <Amount value={BigInt(task.maxAmountUsd6)} digits={6} />
    </span>
  );
}

"use client";
/** Every task of the connected account; the filters are in the address. */
import { catalogue } from "@ngpu/protocol/catalogue";
import { useState } from "react";
import type { Address } from "viem";
import { Button, ButtonLink } from "../../components/Button.tsx";
import { Card } from "../../components/Card.tsx";
import { Choice } from "../../components/Choice.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { NeedsWallet } from "../../components/NeedsWallet.tsx";
import { Page } from "../../components/Page.tsx";
import { Loading } from "../../components/Loading.tsx";
import { useMyTasks } from "../../hooks/useMyTasks.ts";
import { useUrlState } from "../../hooks/useUrlState.ts";
import type { TaskRow } from "../../lib/subgraph/model.ts";
import { openStates } from "../../lib/taskState.ts";
import styles from "./MyTasks.module.css";
import { TaskTable } from "./TaskTable.tsx";

const states = [
  { value: "all", title: "All" },
  { value: "open", title: "Open" },
  { value: "settled", title: "Settled" },
  { value: "returned", title: "Returned" },
] as const;
type StateFilter = (typeof states)[number]["value"];

const models = [
  { value: "all", title: "All models" },
  ...catalogue.map(({ manifest }) => ({ value: manifest.name, title: manifest.title })),
];
const pageSize = 50;

export function MyTasks() {
  return (
    <Page
      title="Tasks"
      lead="What you posted, newest first."
      actions={
        <ButtonLink href="/post" tone="primary">
          Post a task
        </ButtonLink>
      }
    >
      <NeedsWallet why="Connect the wallet that posts your tasks to see them here.">
        {(account) => <TaskList account={account} />}
      </NeedsWallet>
    </Page>
  );
}

function TaskList({ account }: { account: Address }) {
  const tasks = useMyTasks(account);
  const [state, setState] = useUrlState<StateFilter>("state", {
    values: states.map(({ value }) => value),
    fallback: "all",
  });
  const [model, setModel] = useUrlState<string>("model", { values: models.map(({ value }) => value), fallback: "all" });
  const [shown, setShown] = useState(pageSize);
  const found = tasks.data?.filter((task) => isInState(task, state) && isOfModel(task, model));
  return (
    <>
      <div className={styles.filters}>
        <Choice label="State" options={states} value={state} onChange={setState} />
        <label className={styles.select}>
          <span className="visually-hidden">Model</span>
          <select value={model} onChange={(event) => setModel(event.target.value)}>
            {models.map(({ value, title }) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Card title={found === undefined ? "Tasks" : found.length === 1 ? "1 task" : `${found.length} tasks`} flush>
        {found === undefined ? (
          <Loading error={tasks.error} />
        ) : found.length === 0 ? (
          <Nothing filtered={(tasks.data?.length ?? 0) > 0} />
        ) : (
          <TaskTable tasks={found.slice(0, shown)} />
        )}
        {found !== undefined && found.length > shown ? (
          <div className={styles.more}>
            <Button onClick={() => setShown(shown + pageSize)}>
              Show {Math.min(pageSize, found.length - shown)} more
            </Button>
          </div>
        ) : null}
      </Card>
    </>
  );
}

function Nothing({ filtered }: { filtered: boolean }) {
  if (filtered) return <EmptyState title="No task fits these filters" />;
  return (
    <EmptyState
      title="You have not posted a task yet"
      action={
        <ButtonLink href="/post" tone="primary">
          Post the first one
        </ButtonLink>
      }
    >
      It takes one signature and one transaction.
    </EmptyState>
  );
}

function isInState(task: TaskRow, state: StateFilter): boolean {
  if (state === "open") return openStates.includes(task.status);
  if (state === "settled") return task.status === "Settled" || task.status === "Delivered";
  if (state === "returned") return ["Refunded", "Cancelled", "Forfeited"].includes(task.status);
  return true;
}

function isOfModel(task: TaskRow, model: string): boolean {
  return model === "all" || catalogue.some((entry) => entry.modelId === task.modelId && entry.manifest.name === model);
}

"use client";
import type { Address } from "viem";
import { ButtonLink } from "../../components/Button.tsx";
import { Card } from "../../components/Card.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { Loading } from "../../components/Loading.tsx";
import { useMyTasks } from "../../hooks/useMyTasks.ts";
import { openStates } from "../../lib/taskState.ts";
import { TaskTable } from "../tasks/TaskTable.tsx";

export function MyOpenTasks({ account }: { account: Address }) {
  const tasks = useMyTasks(account);
  const open = tasks.data?.filter((task) => openStates.includes(task.status));
  return (
    <Card
      title="My open tasks"
      actions={
        <ButtonLink href="/tasks" small>
          All my tasks
        </ButtonLink>
      }
      flush
    >
      {open === undefined ? (
        <Loading error={tasks.error} rows={2} />
      ) : open.length === 0 ? (
        <EmptyState title="Nothing is running">What you post shows here until it is settled.</EmptyState>
      ) : (
        <TaskTable tasks={open.slice(0, 5)} brief />
      )}
    </Card>
  );
}

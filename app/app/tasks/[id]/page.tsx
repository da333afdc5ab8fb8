import type { Metadata } from "next";
import { notFound } from "next/navigation";
import type { Hex } from "viem";
import { TaskView } from "../../../features/task/TaskView.tsx";

export const metadata: Metadata = { title: "Task" };

export default async function TaskPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  if (!/^0x[0-9a-f]{64}$/i.test(id)) notFound();
  return <TaskView taskId={id.toLowerCase() as Hex} />;
}

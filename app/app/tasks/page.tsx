import type { Metadata } from "next";
import { MyTasks } from "../../features/tasks/MyTasks.tsx";

export const metadata: Metadata = { title: "My tasks" };

export default function TasksPage() {
  return <MyTasks />;
}

import type { Metadata } from "next";
import { PostTask } from "../../features/post/PostTask.tsx";

export const metadata: Metadata = { title: "Post a task" };

export default async function PostPage({
  searchParams,
}: {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}) {
  const { model, again } = await searchParams;
  return <PostTask initialModel={one(model)} again={one(again)} />;
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

import type { Metadata } from "next";
import { notFound } from "next/navigation";
import type { Hex } from "viem";
import { SessionView } from "../../../features/session/SessionView.tsx";

export const metadata: Metadata = { title: "Session" };

export default async function SessionPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  if (!/^0x[0-9a-f]{64}$/i.test(id)) notFound();
  return <SessionView sessionId={id.toLowerCase() as Hex} />;
}

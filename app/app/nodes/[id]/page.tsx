import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { NodeView } from "../../../features/nodes/NodeView.tsx";

export const metadata: Metadata = { title: "Node" };

export default async function NodePage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  if (!/^[1-9][0-9]{0,9}$/.test(id)) notFound();
  return <NodeView nodeId={Number(id)} />;
}

import type { Metadata } from "next";
import { Nodes } from "../../features/nodes/Nodes.tsx";

export const metadata: Metadata = { title: "Nodes" };

export default function NodesPage() {
  return <Nodes />;
}

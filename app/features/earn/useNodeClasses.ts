"use client";
/** Hardware classes of the registry, as the index shows them. */
import { useSubgraph } from "../../hooks/useSubgraph.ts";
import type { NodeClassRow } from "../../lib/subgraph/model.ts";

const query = `{ nodeClasses(first: 100, orderBy: classId) { id name minimumPowerCu minimumStakeWei enabled } }`;

export function useNodeClasses(): NodeClassRow[] | undefined {
  const answer = useSubgraph<{ nodeClasses: NodeClassRow[] }>({ key: "nodeClasses", query });
  return answer.data === undefined ? undefined : (answer.data.nodeClasses ?? []);
}

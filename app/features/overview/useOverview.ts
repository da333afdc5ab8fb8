"use client";
/** What the network does right now, from the index and the gateway. */
import { useHead } from "../../hooks/useHead.ts";
import { useSubgraph } from "../../hooks/useSubgraph.ts";
import { billFields, type BillRow, type NetworkRow } from "../../lib/subgraph/model.ts";
import { medianOf } from "../../lib/stats.ts";

const query = `query Overview($since: BigInt!) {
  network(id: "ngpu") { nodes tasks tasksPosted tasksAssigned tasksAccepted tasksSettled tasksRefunded tasksCancelled
    settledUsd6 settledCums reservedUsd6 stakedWei }
  bills(first: 100, orderBy: position, orderDirection: desc) { ${billFields} }
  lastHour: tasks(first: 1000, where: { postedAt_gte: $since }) { id }
}`;

export interface OverviewData {
  network: NetworkRow | null | undefined;
  recent: BillRow[];
  tasksLastHour: number;
  medianMs: bigint | undefined;
  medianUsd6: bigint | undefined;
}

export function useOverview(): { data: OverviewData | undefined; error: Error | null } {
  const head = useHead();
  // A step of a minute keeps the question the same between two polls.
  const since = head.data === undefined ? undefined : (head.data.timestamp / 60n) * 60n - 3_600n;
  const answer = useSubgraph<{ network: NetworkRow | null; bills: BillRow[]; lastHour: { id: string }[] }>({
    key: "overview",
    query,
    variables: { since: String(since !== undefined && since > 0n ? since : 0n) },
    enabled: since !== undefined,
  });
  if (answer.data === undefined) return { data: undefined, error: answer.error };
  const { network, bills = [], lastHour = [] } = answer.data;
  const data = {
    network,
    recent: bills.slice(0, 8),
    tasksLastHour: lastHour.length,
    medianMs: medianOf(bills.map((bill) => BigInt(bill.durationMs))),
    medianUsd6: medianOf(bills.map((bill) => BigInt(bill.totalUsd6))),
  };
  return { data, error: answer.error };
}

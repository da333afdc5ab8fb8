"use client";
import Link from "next/link";
import { Amount } from "../../components/Amount.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { Status, type Tone } from "../../components/Status.tsx";
import { Table } from "../../components/Table.tsx";
import { wordOf, type ValueOf } from "../../lib/enumWords.ts";
import { formatInteger } from "../../lib/format.ts";
import type { LaneRow } from "../../lib/subgraph/sessionModel.ts";

const tones: Partial<Record<string, Tone>> = {
  Active: "working",
  Releasing: "reversible",
  Reclaimed: "off",
} satisfies Record<ValueOf<"LaneStatus">, Tone>;

export function SessionLanes({ lanes }: { lanes: readonly LaneRow[] }) {
  if (lanes.length === 0) return <EmptyState title="No node was assigned to it yet" />;
  const usd = (value: string) => <Amount value={BigInt(value)} digits={6} bare />;
  return (
    <Table
      caption="Lanes of this session"
      rows={lanes}
      keyOf={(lane) => lane.id}
      columns={[
        { title: "Node", cell: (lane) => <Link href={`/nodes/${lane.node.id}`}>node-{lane.node.id}</Link> },
        { title: "Role", cell: (lane) => wordOf("LaneRole", lane.role) },
        {
          title: "State",
          cell: (lane) => <Status tone={tones[lane.status] ?? "off"}>{wordOf("LaneStatus", lane.status)}</Status>,
        },
        { title: "Power, CU", figure: true, cell: (lane) => formatInteger(BigInt(lane.powerCu)) },
        { title: "Allotted, USD", figure: true, cell: (lane) => usd(lane.allotmentUsd6) },
        { title: "Paid, USD", figure: true, cell: (lane) => usd(lane.paidUsd6) },
        { title: "Owed, USD", figure: true, cell: (lane) => usd(lane.owedUsd6) },
        { title: "Records", figure: true, cell: (lane) => formatInteger(BigInt(lane.seq)) },
      ]}
    />
  );
}

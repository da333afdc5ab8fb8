"use client";
import { Amount } from "../../components/Amount.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { TxLink } from "../../components/Hash.tsx";
import { Table } from "../../components/Table.tsx";
import { wordOf } from "../../lib/enumWords.ts";
import { formatDateTime } from "../../lib/format.ts";
import type { StakeEventRow } from "../../lib/subgraph/model.ts";

export function StakeEvents({ events }: { events: readonly StakeEventRow[] }) {
  if (events.length === 0) return <EmptyState title="Nothing was staked for it yet" />;
  return (
    <Table
      caption="Stake history of this node"
      rows={events}
      keyOf={(event) => event.id}
      columns={[
        { title: "What", cell: (event) => wordOf("StakeEventKind", event.kind) },
        { title: "When", cell: (event) => formatDateTime(BigInt(event.timestamp)) },
        { title: "Amount", figure: true, cell: (event) => <Amount kind="wei" value={BigInt(event.amountWei)} /> },
        { title: "Stake after", figure: true, cell: (event) => <Amount kind="wei" value={BigInt(event.stakedWei)} /> },
        { title: "Transaction", cell: (event) => <TxLink hash={event.tx} /> },
      ]}
    />
  );
}

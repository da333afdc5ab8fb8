"use client";
import Link from "next/link";
import { Amount } from "../../components/Amount.tsx";
import { Table } from "../../components/Table.tsx";
import { Time } from "../../components/Time.tsx";
import { formatInteger, formatMs } from "../../lib/format.ts";
import { modelTitle } from "../../lib/models.ts";
import type { BillRow } from "../../lib/subgraph/model.ts";

export function RecentBills({ bills }: { bills: readonly BillRow[] }) {
  return (
    <Table
      caption="Latest bills"
      rows={bills}
      keyOf={(bill) => bill.id}
      columns={[
        { title: "Model", cell: (bill) => <Link href={`/tasks/${bill.id}`}>{modelTitle(bill.modelId)}</Link> },
        { title: "Settled", cell: (bill) => <Time at={BigInt(bill.timestamp)} style="clock" /> },
        { title: "Node", cell: (bill) => <Link href={`/nodes/${bill.node.id}`}>node-{bill.node.id}</Link> },
        { title: "Power", figure: true, cell: (bill) => `${formatInteger(BigInt(bill.powerCu))} CU` },
        { title: "Time", figure: true, cell: (bill) => formatMs(Number(bill.durationMs)) },
        { title: "Amount", figure: true, cell: (bill) => <Amount value={BigInt(bill.totalUsd6)} digits={6} /> },
      ]}
    />
  );
}

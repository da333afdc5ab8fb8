"use client";
/** Questions about the content of a node's results, and how they ended. */
import { Amount } from "../../components/Amount.tsx";
import { Hash, TxLink } from "../../components/Hash.tsx";
import { Table } from "../../components/Table.tsx";
import { Time } from "../../components/Time.tsx";
import { wordOf } from "../../lib/enumWords.ts";
import type { DisputeRow } from "../../lib/subgraph/model.ts";

export function Disputes({ disputes }: { disputes: readonly DisputeRow[] }) {
  return (
    <Table
      caption="Disputes about this node"
      rows={disputes}
      keyOf={(dispute) => dispute.id}
      columns={[
        { title: "Dispute", cell: (dispute) => <Hash value={dispute.id} label="dispute id" /> },
        { title: "Opened by", cell: (dispute) => <Hash value={dispute.opener} label="opener" /> },
        { title: "Stage", cell: (dispute) => wordOf("DisputeStage", dispute.stage) },
        {
          title: "Until",
          cell: (dispute) => (dispute.stage === "Closed" ? "–" : <Time at={BigInt(dispute.deadline)} />),
        },
        { title: "Outcome", cell: outcome },
        { title: "Slashed", figure: true, cell: (dispute) => <Amount kind="wei" value={BigInt(dispute.slashedWei)} /> },
        { title: "Transaction", cell: (dispute) => <TxLink hash={dispute.tx} /> },
      ]}
    />
  );
}

function outcome({ outcome: ended, ruling }: DisputeRow): string {
  if (typeof ended === "string") return wordOf("DisputeOutcome", ended);
  return typeof ruling === "string" ? `Ruled: ${wordOf("DisputeOutcome", ruling).toLowerCase()}` : "Open";
}

"use client";
/** What a node lost for faults: why, by what evidence, where the stake goes and when. */
import { Amount } from "../../components/Amount.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { Hash, TxLink } from "../../components/Hash.tsx";
import { Status, type Tone } from "../../components/Status.tsx";
import { Table } from "../../components/Table.tsx";
import { Time } from "../../components/Time.tsx";
import { wordOf, type ValueOf } from "../../lib/enumWords.ts";
import { slashReason } from "../../lib/slashReason.ts";
import type { SlashRow } from "../../lib/subgraph/model.ts";

const tones: Partial<Record<string, Tone>> = {
  Held: "reversible",
  Finished: "final",
  Reversed: "off",
} satisfies Record<ValueOf<"SlashStatus">, Tone>;

export function Slashes({ slashes }: { slashes: readonly SlashRow[] }) {
  if (slashes.length === 0) return <EmptyState title="It was never slashed" />;
  return (
    <Table
      caption="Slashes of this node"
      rows={slashes}
      keyOf={(slash) => slash.id}
      columns={[
        { title: "Reason", cell: (slash) => slashReason(slash.reason) },
        { title: "Evidence", cell: (slash) => <Hash value={slash.evidence} label="evidence" /> },
        {
          title: "State",
          cell: (slash) => <Status tone={tones[slash.status] ?? "off"}>{wordOf("SlashStatus", slash.status)}</Status>,
        },
        { title: "Taken", figure: true, cell: (slash) => <Amount kind="wei" value={BigInt(slash.slashedWei)} /> },
        {
          title: "Compensation",
          figure: true,
          cell: (slash) => <Amount kind="wei" value={BigInt(slash.compensationWei)} />,
        },
        {
          title: "Burned",
          figure: true,
          cell: ({ burnedWei }) =>
            typeof burnedWei === "string" ? <Amount kind="wei" value={BigInt(burnedWei)} /> : "nothing yet",
        },
        { title: "Payable at", cell: (slash) => <Time at={BigInt(slash.payableAt)} /> },
        { title: "Taken in", cell: (slash) => <TxLink hash={slash.slashedTx} /> },
        { title: "Ended in", cell: ({ endedTx }) => (typeof endedTx === "string" ? <TxLink hash={endedTx} /> : "–") },
      ]}
    />
  );
}

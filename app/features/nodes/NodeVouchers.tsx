"use client";
/** What a node served in sessions lately, by settled voucher. */
import Link from "next/link";
import { Amount } from "../../components/Amount.tsx";
import { TxLink } from "../../components/Hash.tsx";
import { Table } from "../../components/Table.tsx";
import { formatDateTime, formatInteger } from "../../lib/format.ts";
import { modelTitle } from "../../lib/models.ts";
import type { SettledVoucherRow } from "../../lib/subgraph/sessionModel.ts";

export function NodeVouchers({ vouchers }: { vouchers: readonly SettledVoucherRow[] }) {
  return (
    <Table
      caption="Latest vouchers of this node"
      rows={vouchers}
      keyOf={(voucher) => voucher.id}
      columns={[
        {
          title: "Session",
          cell: ({ session, node }) => (
            <Link href={`/sessions/${session.id}?node=${node.id}`}>{modelTitle(session.modelId)}</Link>
          ),
        },
        { title: "Settled", cell: (voucher) => formatDateTime(BigInt(voucher.timestamp)) },
        { title: "Records", figure: true, cell: (voucher) => formatInteger(BigInt(voucher.records)) },
        { title: "Billed", figure: true, cell: (voucher) => <Amount value={BigInt(voucher.amountUsd6)} digits={6} /> },
        { title: "Transaction", cell: (voucher) => <TxLink hash={voucher.tx} /> },
      ]}
    />
  );
}

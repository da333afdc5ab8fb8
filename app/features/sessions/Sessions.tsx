"use client";
/** Every session of the connected account: where it stands, and what of its cap is spent. */
import Link from "next/link";
import type { Address } from "viem";
import { useAccount } from "wagmi";
import { Card } from "../../components/Card.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { Loading } from "../../components/Loading.tsx";
import { NeedsWallet } from "../../components/NeedsWallet.tsx";
import { Page } from "../../components/Page.tsx";
import { Table } from "../../components/Table.tsx";
import { Time } from "../../components/Time.tsx";
import { useHydrated } from "../../hooks/useHydrated.ts";
import { useMySessions } from "../../hooks/useMySessions.ts";
import { formatInteger } from "../../lib/format.ts";
import { modelTitle } from "../../lib/models.ts";
import type { SessionRow } from "../../lib/subgraph/sessionModel.ts";
import { OpenFromCode } from "./OpenFromCode.tsx";
import { SessionPhaseStatus } from "./SessionPhaseStatus.tsx";
import { SpendBar } from "./SpendBar.tsx";

export function Sessions() {
  return (
    <Page title="Sessions" lead="One payer, one model, many requests: billed by the record, settled in batches.">
      <NeedsWallet why="Connect the wallet that pays for your sessions to see them here.">
        {(account) => <SessionList account={account} />}
      </NeedsWallet>
      <NoWallet />
    </Page>
  );
}

/** Nothing stands below a list that is still to come, so that nothing moves. */
function NoWallet() {
  const hydrated = useHydrated();
  const { address, isConnecting, isReconnecting } = useAccount();
  return hydrated && address === undefined && !isConnecting && !isReconnecting ? <OpenFromCode /> : null;
}

function SessionList({ account }: { account: Address }) {
  const { data, error } = useMySessions(account);
  const title = data === undefined ? "Sessions" : data.length === 1 ? "1 session" : `${data.length} sessions`;
  return (
    <>
      <Card title={title} flush>
        {data === undefined ? (
          <Loading error={error} />
        ) : data.length === 0 ? (
          <EmptyState title="You have not opened a session yet">The code below opens one.</EmptyState>
        ) : (
          <SessionTable sessions={data} />
        )}
      </Card>
      {data === undefined && error === null ? null : <OpenFromCode />}
    </>
  );
}

function SessionTable({ sessions }: { sessions: readonly SessionRow[] }) {
  return (
    <Table
      caption="Sessions"
      rows={sessions}
      keyOf={(session) => session.id}
      columns={[
        {
          title: "Model",
          cell: (session) => <Link href={`/sessions/${session.id}`}>{modelTitle(session.modelId)}</Link>,
        },
        { title: "State", cell: (session) => <SessionPhaseStatus session={session} /> },
        { title: "Opened", cell: (session) => <Time at={BigInt(session.openedAt)} /> },
        { title: "Closes", cell: (session) => <Time at={BigInt(session.closesAt)} /> },
        {
          title: "Spent of cap",
          cell: ({ paidUsd6, putInUsd6 }) => <SpendBar paidUsd6={BigInt(paidUsd6)} putInUsd6={BigInt(putInUsd6)} />,
        },
        { title: "Lanes", figure: true, cell: (session) => formatInteger(session.lanes?.length ?? 0) },
        { title: "Bills", figure: true, cell: (session) => formatInteger(BigInt(session.bills)) },
      ]}
    />
  );
}

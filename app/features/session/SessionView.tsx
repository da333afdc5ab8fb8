"use client";
/** One session: what was agreed, who serves it, what happened, and every record's bill. */
import { lazy, Suspense } from "react";
import type { Hex } from "viem";
import { Amount } from "../../components/Amount.tsx";
import { Banner } from "../../components/Banner.tsx";
import { Card } from "../../components/Card.tsx";
import { Hash } from "../../components/Hash.tsx";
import { NeedsWallet } from "../../components/NeedsWallet.tsx";
import { Columns, Figure, Figures, Page, Stack } from "../../components/Page.tsx";
import { SkeletonRows } from "../../components/Skeleton.tsx";
import { explainError } from "../../lib/explainError.ts";
import { formatInteger } from "../../lib/format.ts";
import { modelTitle } from "../../lib/models.ts";
import type { LaneRow, SessionEventRow, SessionRow } from "../../lib/subgraph/sessionModel.ts";
import { SessionPhaseStatus } from "../sessions/SessionPhaseStatus.tsx";
import { SpendBar } from "../sessions/SpendBar.tsx";
import { SessionBills } from "./SessionBills.tsx";
import { SessionLanes } from "./SessionLanes.tsx";
import { SessionTerms } from "./SessionTerms.tsx";
import { SessionTimeline } from "./SessionTimeline.tsx";
import { newestEvents, useSession } from "./useSession.ts";
import { useSessionOnChain } from "./useSessionOnChain.ts";

/** Fetched once there is a wallet that could act. */
const SessionActions = lazy(async () => ({ default: (await import("./SessionActions.tsx")).SessionActions }));

export function SessionView({ sessionId }: { sessionId: Hex }) {
  const { data, error } = useSession(sessionId);
  const session = data?.session ?? undefined;
  return (
    <Page
      title={session === undefined ? "Session" : modelTitle(session.modelId)}
      lead={
        <>
          Session <Hash value={sessionId} label="session id" />
        </>
      }
    >
      {session !== undefined ? (
        <Known session={session} lanes={data?.lanes ?? []} events={data?.sessionEvents ?? []} />
      ) : data !== undefined ? (
        <Banner tone="warning" title="The index does not know this session (yet)">
          If it was opened a moment ago it appears by itself; otherwise the link names another chain&apos;s session.
        </Banner>
      ) : (
        <Waiting error={error} />
      )}
    </Page>
  );
}

function ActionsToCome() {
  return (
    <Card title="Actions">
      <SkeletonRows rows={4} />
    </Card>
  );
}

/** Nothing is placed before it is known what stands above it, so that nothing moves. */
function Waiting({ error }: { error: unknown }) {
  if (error === null || error === undefined) {
    return (
      <Card>
        <SkeletonRows rows={8} />
      </Card>
    );
  }
  const { title, text, tone } = explainError(error);
  return (
    <Banner tone={tone} title={title}>
      {text}
    </Banner>
  );
}

function Known(props: { session: SessionRow; lanes: readonly LaneRow[]; events: readonly SessionEventRow[] }) {
  const { session, lanes, events } = props;
  const onChain = useSessionOnChain(
    session.id,
    lanes.map(({ node }) => Number(node.id)),
  );
  const owed = BigInt(session.owedUsd6);
  return (
    <>
      <Figures>
        <Figure label="State">
          <SessionPhaseStatus session={session} />
        </Figure>
        <Figure label="Billed" note={`${formatInteger(BigInt(session.bills))} records`}>
          <Amount value={BigInt(session.billedUsd6)} size="large" />
        </Figure>
        <Figure label="Paid" note="treasury fee included">
          <Amount value={BigInt(session.paidUsd6)} size="large" />
        </Figure>
        <Figure label="Owed" note={owed > 0n ? "billed, and not covered yet" : "everything billed is paid"}>
          <Amount value={owed} size="large" />
        </Figure>
        <Figure label="Returned" note="to the payer, once finished">
          <Amount value={BigInt(session.returnedUsd6)} size="large" />
        </Figure>
      </Figures>
      <Columns kind="task">
        <Card title="Timeline" {...(events.length < newestEvents ? {} : { note: `The newest ${newestEvents} events` })}>
          <SessionTimeline events={events} />
        </Card>
        <Stack>
          <Card title="Terms" note="Frozen when it opened">
            <SpendBar paidUsd6={BigInt(session.paidUsd6)} putInUsd6={BigInt(session.putInUsd6)} />
            <SessionTerms session={session} />
          </Card>
          <Card title={lanes.length === 1 ? "1 lane" : `${lanes.length} lanes`} flush>
            <SessionLanes lanes={lanes} />
          </Card>
          <NeedsWallet why="Connect the payer's wallet to top it up, close it or get its rest back.">
            {(account) => (
              <Suspense fallback={<ActionsToCome />}>
                <SessionActions session={session} onChain={onChain} account={account} />
              </Suspense>
            )}
          </NeedsWallet>
        </Stack>
      </Columns>
      <SessionBills session={session} lanes={lanes} />
    </>
  );
}

"use client";
/** The first page: what the network does now, and what of it is mine. */
import { useAccount } from "wagmi";
import { Amount } from "../../components/Amount.tsx";
import { ButtonLink } from "../../components/Button.tsx";
import { Card } from "../../components/Card.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { Loading } from "../../components/Loading.tsx";
import { Columns, Figure, Figures, Page } from "../../components/Page.tsx";
import { Skeleton } from "../../components/Skeleton.tsx";
import { useIndexHealth } from "../../hooks/useIndexHealth.ts";
import { useRoster } from "../../hooks/useRoster.ts";
import { formatInteger, formatMs } from "../../lib/format.ts";
import { MyOpenTasks } from "./MyOpenTasks.tsx";
import { MySpend } from "./MySpend.tsx";
import { RecentBills } from "./RecentBills.tsx";
import { useOverview } from "./useOverview.ts";

export function Overview() {
  const { address } = useAccount();
  const { data, error } = useOverview();
  return (
    <Page
      title="Overview"
      lead="Post an inference task from your wallet, pay for exactly power × duration, and check the bill yourself."
      actions={
        <>
          <ButtonLink href="/models">See models and prices</ButtonLink>
          <ButtonLink href="/post" tone="primary">
            Post a task
          </ButtonLink>
        </>
      }
    >
      <NetworkFigures />
      {address === undefined ? null : (
        <Columns>
          <MyOpenTasks account={address} />
          <MySpend account={address} />
        </Columns>
      )}
      <Card title="Latest bills" note="Of everyone, newest first. Each can be recomputed from the chain." flush>
        {data === undefined ? (
          <Loading error={error} rows={5} />
        ) : data.recent.length === 0 ? (
          <NoBills />
        ) : (
          <RecentBills bills={data.recent} />
        )}
      </Card>
    </Page>
  );
}

function NetworkFigures() {
  const { data, error } = useOverview();
  const waiting = error === null ? <Skeleton width="3em" /> : "–";
  const roster = useRoster();
  const health = useIndexHealth();
  const registered = data?.network?.nodes;
  return (
    <Figures>
      <Figure label="Nodes online" note={registered === undefined ? "registered: …" : `of ${registered} registered`}>
        {roster.error !== null ? "unknown" : roster.data === undefined ? <Skeleton width="2em" /> : roster.data.length}
      </Figure>
      <Figure
        label="Tasks, last hour"
        note={data?.network ? `${formatInteger(BigInt(data.network.tasks))} in all` : "in all: …"}
      >
        {data === undefined ? waiting : formatInteger(data.tasksLastHour)}
      </Figure>
      <Figure label="Median time" note="of the last 100 bills">
        {data === undefined ? waiting : data.medianMs === undefined ? "–" : formatMs(Number(data.medianMs))}
      </Figure>
      <Figure label="Median price" note="per task">
        {data === undefined ? waiting : data.medianUsd6 === undefined ? "–" : <Amount value={data.medianUsd6} />}
      </Figure>
      <Figure
        label="Index"
        note={
          health.kind === "current" || health.kind === "behind" ? `block ${formatInteger(health.block)}` : "see above"
        }
      >
        {indexWord(health)}
      </Figure>
    </Figures>
  );
}

function indexWord(health: ReturnType<typeof useIndexHealth>) {
  if (health.kind === "unknown") return <Skeleton />;
  if (health.kind === "failed") return "stopped";
  if (health.kind === "unreachable") return "no answer";
  return health.lagBlocks <= 1n ? "up to date" : `${health.lagBlocks} blocks behind`;
}

function NoBills() {
  return (
    <EmptyState title="No task has been billed yet" action={<ButtonLink href="/post">Post the first one</ButtonLink>}>
      As soon as one is settled, its power, time and amount stand here.
    </EmptyState>
  );
}

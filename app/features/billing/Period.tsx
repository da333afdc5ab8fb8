"use client";
/** The bills of a period; period and model are in the address. */
import { catalogue } from "@ngpu/protocol/catalogue";
import { useMemo } from "react";
import type { Address } from "viem";
import { Amount } from "../../components/Amount.tsx";
import { Button, ButtonLink } from "../../components/Button.tsx";
import { Card } from "../../components/Card.tsx";
import { Choice } from "../../components/Choice.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { DayChart } from "../../components/DayChart.tsx";
import { Columns, Figure, Figures } from "../../components/Page.tsx";
import { Loading } from "../../components/Loading.tsx";
import { useHead } from "../../hooks/useHead.ts";
import { useMyTasks } from "../../hooks/useMyTasks.ts";
import { useMyVouchers } from "../../hooks/useMyVouchers.ts";
import { useUrlState } from "../../hooks/useUrlState.ts";
import { formatInteger, formatMs, formatUsd } from "../../lib/format.ts";
import { saveCsv } from "../../lib/saveCsv.ts";
import { billingCsv } from "./billingCsv.ts";
import {
  billingLines,
  billingTotals,
  dailySpend,
  secondsPerDay,
  type BillingLine,
  type BillingTotals,
} from "./billingRows.ts";
import { BillTable } from "./BillTable.tsx";
import styles from "./Period.module.css";

const periods = [
  { value: "7", title: "7 days" },
  { value: "30", title: "30 days" },
  { value: "90", title: "90 days" },
  { value: "all", title: "All" },
] as const;
type PeriodValue = (typeof periods)[number]["value"];

const models = [
  { value: "all", title: "All models" },
  ...catalogue.map(({ manifest }) => ({ value: manifest.name, title: manifest.title })),
];

export function Period({ account }: { account: Address }) {
  const tasks = useMyTasks(account);
  const vouchers = useMyVouchers(account);
  const head = useHead().data;
  const [period, setPeriod] = useUrlState<PeriodValue>("period", {
    values: periods.map(({ value }) => value),
    fallback: "30",
  });
  const [model, setModel] = useUrlState<string>("model", { values: models.map(({ value }) => value), fallback: "all" });
  const today = head === undefined ? undefined : head.timestamp / secondsPerDay;
  const modelId = catalogue.find(({ manifest }) => manifest.name === model)?.modelId;
  const lines = useMemo(() => {
    if (tasks.data === undefined || vouchers.data === undefined || today === undefined) return undefined;
    const fromS = period === "all" ? 0n : (today - BigInt(period) + 1n) * secondsPerDay;
    const rows = { tasks: tasks.data, vouchers: vouchers.data, fromS };
    return billingLines({ ...rows, ...(modelId === undefined ? {} : { modelId }) });
  }, [tasks.data, vouchers.data, today, period, modelId]);
  const totals = lines === undefined ? undefined : billingTotals(lines);
  return (
    <>
      <div className={styles.filters}>
        <Choice label="Period" options={periods} value={period} onChange={setPeriod} />
        <Choice label="Model" options={models} value={model} onChange={setModel} />
        <span className={styles.space} />
        <Button
          disabled={lines === undefined || lines.length === 0}
          title={csvWaitsFor(lines)}
          onClick={() => saveCsv({ name: "ngpu-bills.csv", text: billingCsv(lines ?? []) })}
        >
          Export CSV
        </Button>
      </div>
      {lines === undefined || totals === undefined || today === undefined ? (
        <Card>
          <Loading error={tasks.error ?? vouchers.error} rows={6} />
        </Card>
      ) : lines.length === 0 ? (
        <Card>
          <EmptyState title="No bill in this period" action={<ButtonLink href="/post">Post a task</ButtonLink>}>
            A line appears here as soon as a task of yours is settled or returned, or a session of yours is billed.
          </EmptyState>
        </Card>
      ) : (
        <>
          <Figures>
            <Figure label="Spent" note={spentFor(totals)}>
              <Amount value={totals.costUsd6} size="large" />
            </Figure>
            <Figure label="Average per task">
              {totals.settled === 0 ? "–" : <Amount value={totals.tasksUsd6 / BigInt(totals.settled)} size="large" />}
            </Figure>
            <Figure label="Returned" note="locked, not used or forfeited">
              <Amount value={totals.refundUsd6} size="large" />
            </Figure>
            <Figure label="Computing time" note="of single tasks">
              {formatMs(Number(totals.durationMs))}
            </Figure>
          </Figures>
          <Days lines={lines} today={today} />
          <BillTable lines={lines} totals={totals} />
        </>
      )}
    </>
  );
}

function Days({ lines, today }: { lines: readonly BillingLine[]; today: bigint }) {
  const days = dailySpend(lines, today);
  const tasks = (count: bigint): string => `${formatInteger(count)} ${count === 1n ? "task" : "tasks"}`;
  return (
    <Columns>
      <DayChart
        title="Spend per day"
        column="Spent"
        days={days.map(({ day, costUsd6 }) => ({ day, value: costUsd6 }))}
        show={(value) => <Amount value={value} digits={6} />}
        say={formatUsd}
      />
      <DayChart
        title="Tasks per day"
        column="Ended"
        days={days.map(({ day, settled, returned, records }) => {
          const notes = [
            ...(returned === 0 ? [] : [`${returned} returned`]),
            ...(records === 0n ? [] : [`${formatInteger(records)} session records besides`]),
          ];
          return { day, value: BigInt(settled + returned), ...(notes.length === 0 ? {} : { note: notes.join(", ") }) };
        })}
        show={tasks}
        say={tasks}
      />
    </Columns>
  );
}

function spentFor({ settled, records, standbyUsd6, bondUsd6 }: BillingTotals): string {
  return [
    `${settled} settled ${settled === 1 ? "task" : "tasks"}`,
    ...(records === 0n ? [] : [`${formatInteger(records)} session records`]),
    ...(standbyUsd6 === 0n ? [] : [`standby ${formatUsd(standbyUsd6)}`]),
    ...(bondUsd6 === 0n ? [] : [`bonds lost ${formatUsd(bondUsd6)}`]),
  ].join(", ");
}

function csvWaitsFor(lines: readonly BillingLine[] | undefined): string | undefined {
  if (lines === undefined) return "The bills are still being read.";
  return lines.length === 0 ? "There is no line in this period to export." : undefined;
}

"use client";
/** Spend per day as bars, or the same as a table. */
import { useState } from "react";
import { Amount } from "../../components/Amount.tsx";
import { Button } from "../../components/Button.tsx";
import { Card } from "../../components/Card.tsx";
import { Table } from "../../components/Table.tsx";
import { formatAmount } from "../../lib/format.ts";
import styles from "./SpendChart.module.css";

interface Day {
  day: bigint;
  amountUsd6: bigint;
  tasks: number;
}

const height = 120;
const least = 14;

export function SpendChart({ days }: { days: readonly Day[] }) {
  const [asTable, setAsTable] = useState(false);
  return (
    <Card
      title="Spend per day"
      note="Days of UTC"
      flush={asTable}
      actions={
        <Button small onClick={() => setAsTable(!asTable)} aria-pressed={asTable}>
          {asTable ? "Show as chart" : "Show as table"}
        </Button>
      }
    >
      {asTable ? <DayTable days={days} /> : <Bars days={days} />}
    </Card>
  );
}

function Bars({ days }: { days: readonly Day[] }) {
  const most = days.reduce((max, { amountUsd6 }) => (amountUsd6 > max ? amountUsd6 : max), 1n);
  const padding = Array.from({ length: Math.max(0, least - days.length) }, (_, index) => index);
  const count = days.length + padding.length;
  const total = days.reduce((sum, { amountUsd6 }) => sum + amountUsd6, 0n);
  const summary = `${days.length} days, ${usd(total)} in all, at most ${usd(most)} a day`;
  return (
    <figure className={styles.chart}>
      <figcaption className={styles.most}>
        <Amount value={most} />
      </figcaption>
      <svg
        viewBox={`0 0 ${count * 10} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Spend per day: ${summary}`}
        className={styles.bars}
      >
        <line x1="0" x2={count * 10} y1={height - 0.5} y2={height - 0.5} className={styles.axis} />
        {days.map(({ day, amountUsd6, tasks }, index) => {
          const bar = Number((amountUsd6 * BigInt(height - 6)) / most);
          return (
            <rect
              key={String(day)}
              x={(padding.length + index) * 10 + 1.5}
              width="7"
              y={height - bar}
              height={amountUsd6 > 0n ? Math.max(2, bar) : 0}
              className={styles.bar}
            >
              <title>{`${dayText(day)}: ${usd(amountUsd6)}, ${tasks} tasks`}</title>
            </rect>
          );
        })}
      </svg>
      <p className={styles.axisText}>
        <span>{dayText((days[0]?.day ?? 0n) - BigInt(padding.length))}</span>
        <span>{dayText(days.at(-1)?.day ?? 0n)}</span>
      </p>
    </figure>
  );
}

function DayTable({ days }: { days: readonly Day[] }) {
  return (
    <Table
      caption="Spend per day"
      rows={[...days].reverse()}
      keyOf={({ day }) => String(day)}
      columns={[
        { title: "Day", cell: ({ day }) => dayText(day) },
        { title: "Settled tasks", figure: true, cell: ({ tasks }) => tasks },
        { title: "Spent", figure: true, cell: ({ amountUsd6 }) => <Amount value={amountUsd6} digits={6} /> },
      ]}
    />
  );
}

function dayText(day: bigint): string {
  return new Date(Number(day) * 86_400_000).toLocaleDateString("en-GB", {
    day: "numeric",
    month: "short",
    timeZone: "UTC",
  });
}

function usd(value: bigint): string {
  return `${formatAmount({ value, decimals: 6 }).text} USD`;
}

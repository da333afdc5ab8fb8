"use client";
/** One figure per UTC day as bars, or the same as a table; bars are drawn to the pixel below, never above. */
import { useState, type ReactNode } from "react";
import { Button } from "./Button.tsx";
import { Card } from "./Card.tsx";
import styles from "./DayChart.module.css";
import { Table } from "./Table.tsx";

export interface DayValue {
  /** Days since 1970-01-01. */
  day: bigint;
  value: bigint;
  /** Said of the day beside its figure. */
  note?: string;
}

interface DayChartProps {
  title: string;
  days: readonly DayValue[];
  /** Head of the table's column of figures. */
  column: string;
  /** A figure where it may be markup, and where it must be text. */
  show: (value: bigint) => ReactNode;
  say: (value: bigint) => string;
}

const height = 120;
const least = 14;

export function DayChart(props: DayChartProps) {
  const [asTable, setAsTable] = useState(false);
  return (
    <Card
      title={props.title}
      note="Days of UTC"
      flush={asTable}
      actions={
        <Button small onClick={() => setAsTable(!asTable)} aria-pressed={asTable}>
          {asTable ? "Show as chart" : "Show as table"}
          <span className="visually-hidden">: {props.title}</span>
        </Button>
      }
    >
      {asTable ? <DayTable {...props} /> : <Bars {...props} />}
    </Card>
  );
}

function Bars({ title, days, show, say }: DayChartProps) {
  const most = days.reduce((max, { value }) => (value > max ? value : max), 0n);
  const padding = Math.max(0, least - days.length);
  const count = days.length + padding;
  const total = days.reduce((sum, { value }) => sum + value, 0n);
  const summary = `${days.length} ${days.length === 1 ? "day" : "days"}, ${say(total)} in all, at most ${say(most)} a day`;
  return (
    <figure className={styles.chart}>
      <figcaption className={styles.most}>{show(most)}</figcaption>
      <svg
        viewBox={`0 0 ${count * 10} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: ${summary}`}
        className={styles.bars}
      >
        <line x1="0" x2={count * 10} y1={height - 0.5} y2={height - 0.5} className={styles.axis} />
        {days.map(({ day, value, note }, index) => {
          const bar = most === 0n ? 0 : Number((value * BigInt(height - 6)) / most);
          return (
            <rect
              key={String(day)}
              x={(padding + index) * 10 + 1.5}
              width="7"
              y={height - Math.max(value > 0n ? 2 : 0, bar)}
              height={value > 0n ? Math.max(2, bar) : 0}
              className={styles.bar}
            >
              <title>{`${dayText(day)}: ${say(value)}${note === undefined ? "" : `, ${note}`}`}</title>
            </rect>
          );
        })}
      </svg>
      <p className={styles.axisText}>
        <span>{dayText((days[0]?.day ?? 0n) - BigInt(padding))}</span>
        <span>{dayText(days.at(-1)?.day ?? 0n)}</span>
      </p>
    </figure>
  );
}

function DayTable({ title, days, column, show }: DayChartProps) {
  return (
    <Table
      caption={title}
      rows={[...days].reverse()}
      keyOf={({ day }) => String(day)}
      columns={[
        { title: "Day", cell: ({ day }) => dayText(day) },
        ...(days.some(({ note }) => note !== undefined)
          ? [{ title: "Of which", cell: ({ note }: DayValue) => note ?? "–" }]
          : []),
        { title: column, figure: true, cell: ({ value }) => show(value) },
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

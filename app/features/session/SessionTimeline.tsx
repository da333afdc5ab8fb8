"use client";
/** What happened to a session, from first to last. */
import Link from "next/link";
import type { ReactNode } from "react";
import { Amount } from "../../components/Amount.tsx";
import { Hash, TxLink } from "../../components/Hash.tsx";
import type { Tone } from "../../components/Status.tsx";
import { Time } from "../../components/Time.tsx";
import { Timeline } from "../../components/Timeline.tsx";
import { wordOf, type ValueOf } from "../../lib/enumWords.ts";
import { formatInteger } from "../../lib/format.ts";
import { voucherFaultWords } from "../../lib/session/voucherFaults.ts";
import type { SessionEventRow } from "../../lib/subgraph/sessionModel.ts";

const tones: Partial<Record<string, Tone>> = {
  VoucherRefused: "failed",
  FloorClaimed: "reversible",
  FloorBurned: "failed",
} satisfies Partial<Record<ValueOf<"SessionEventKind">, Tone>>;

/** What the amount of a row is, where it has one. */
const amounts: Partial<Record<string, string>> = {
  Opened: "put in",
  ToppedUp: "added",
  Assigned: "allotted",
  Settled: "billed",
  OwedCollected: "collected",
  FloorClaimed: "claimed",
  FloorBurned: "burned",
  LaneReclaimed: "free again",
  Finished: "returned",
} satisfies Partial<Record<ValueOf<"SessionEventKind">, string>>;

export function SessionTimeline({ events }: { events: readonly SessionEventRow[] }) {
  const items = [...events].reverse().map((event) => ({
    id: event.id,
    title: wordOf("SessionEventKind", event.kind),
    tone: tones[event.kind] ?? ("final" as const),
    state: "done",
    time: <Time at={BigInt(event.timestamp)} />,
    detail: <Detail event={event} />,
  }));
  return <Timeline label="What happened to this session" items={items} />;
}

function Detail({ event }: { event: SessionEventRow }) {
  const { kind, node, amountUsd6, owedUsd6, firstSeq, records, fault, signer, tx } = event;
  const meaning = amounts[kind];
  const parts: ReactNode[] = [];
  if (node) parts.push(<Link href={`/nodes/${node.id}`}>node-{node.id}</Link>);
  if (typeof firstSeq === "string" && typeof records === "string") parts.push(recordsWords(firstSeq, records));
  if (typeof amountUsd6 === "string" && meaning !== undefined)
    parts.push(
      <>
        <Amount value={BigInt(amountUsd6)} /> {meaning}
      </>,
    );
  if (typeof owedUsd6 === "string" && owedUsd6 !== "0")
    parts.push(
      <>
        <Amount value={BigInt(owedUsd6)} /> owed
      </>,
    );
  if (typeof fault === "number") parts.push(voucherFaultWords(fault));
  if (kind === "SignerReplaced" && typeof signer === "string") parts.push(<Hash value={signer} label="signer" />);
  parts.push(
    <>
      tx <TxLink hash={tx} />
    </>,
  );
  return (
    <p>
      {parts.map((part, index) => (
        <span key={index}>
          {index === 0 ? null : " · "}
          {part}
        </span>
      ))}
    </p>
  );
}

function recordsWords(firstSeq: string, records: string): string {
  const first = BigInt(firstSeq);
  const last = first + BigInt(records) - 1n;
  return first === last
    ? `record ${formatInteger(first)}`
    : `records ${formatInteger(first)} to ${formatInteger(last)}`;
}

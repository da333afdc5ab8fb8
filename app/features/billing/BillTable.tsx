"use client";
/** One line per ended task: what it was, who computed it, power × time × price, and the transaction. */
import Link from "next/link";
import { useState } from "react";
import { Amount } from "../../components/Amount.tsx";
import { Button, ButtonLink } from "../../components/Button.tsx";
import { Card } from "../../components/Card.tsx";
import { TxLink } from "../../components/Hash.tsx";
import { Status } from "../../components/Status.tsx";
import { Table } from "../../components/Table.tsx";
import { Time } from "../../components/Time.tsx";
import { formatDateTime, formatInteger } from "../../lib/format.ts";
import { modelTitle } from "../../lib/models.ts";
import { VerifyBill } from "../task/VerifyBill.tsx";
import styles from "./BillTable.module.css";
import type { BillingLine, BillingTotals } from "./billingRows.ts";

export function BillTable({ lines, totals }: { lines: readonly BillingLine[]; totals: BillingTotals }) {
  const [checked, setChecked] = useState<BillingLine | undefined>(undefined);
  return (
    <>
      <Card
        title="Bills"
        note="A task: power × time × price ÷ 10⁹, rounded down, and 10 % of it to each backup that stood by. A session: one line for each settlement, its bills on its page"
        flush
      >
        <Table
          caption="Bills"
          rows={lines}
          keyOf={(line) => line.key}
          columns={[
            { title: "Task", cell: (line) => <Subject line={line} /> },
            { title: "Ended", cell: (line) => <Time at={line.at} /> },
            {
              title: "Node",
              cell: (line) =>
                line.nodeId === undefined ? <Returned /> : <Executor line={line} nodeId={line.nodeId} />,
            },
            { title: "Power, CU", figure: true, cell: (line) => figure(line, line.powerCu) },
            { title: "Time, ms", figure: true, cell: (line) => figure(line, line.durationMs) },
            { title: "Price", figure: true, cell: (line) => <Amount value={line.priceUsd6PerGcums} bare /> },
            { title: "Amount, USD", figure: true, cell: (line) => <Amount value={line.amountUsd6} digits={6} bare /> },
            {
              title: "Standby, USD",
              figure: true,
              cell: (line) =>
                line.kind === "settled" ? <Amount value={line.standbyUsd6} digits={6} bare /> : <span>–</span>,
            },
            {
              title: "Returned, USD",
              figure: true,
              cell: (line) => <Amount value={line.refundUsd6} digits={6} bare />,
            },
            { title: "Transaction", cell: (line) => (line.tx === undefined ? "–" : <TxLink hash={line.tx} />) },
            {
              title: "Check",
              cell: (line) =>
                line.kind === "returned" ? (
                  <span className="soft">–</span>
                ) : line.kind === "session" ? (
                  <ButtonLink small href={`/sessions/${line.id}?node=${line.nodeId ?? ""}`}>
                    Bills
                  </ButtonLink>
                ) : (
                  <Button
                    small
                    onClick={() => setChecked(line)}
                    aria-label={`Verify the bill of ${formatDateTime(line.at)}`}
                  >
                    Verify
                  </Button>
                ),
            },
          ]}
          foot={
            <tr className={styles.total}>
              <td colSpan={6}>Total of {lines.length === 1 ? "1 line" : `${formatInteger(lines.length)} lines`}</td>
              <td data-title="Amount, USD" className={styles.figure} data-testid="total-amount">
                <Amount value={totals.amountUsd6} digits={6} bare />
              </td>
              <td data-title="Standby, USD" className={styles.figure} data-testid="total-standby">
                <Amount value={totals.standbyUsd6} digits={6} bare />
              </td>
              <td data-title="Returned, USD" className={styles.figure} data-testid="total-refund">
                <Amount value={totals.refundUsd6} digits={6} bare />
              </td>
              <td colSpan={2} />
            </tr>
          }
        />
      </Card>
      {checked === undefined ? null : (
        <div ref={bringIntoView} key={checked.key}>
          <Card
            title={`Bill of ${modelTitle(checked.modelId)}, ${formatDateTime(checked.at)}`}
            note="Recomputed in this browser from the chain's events"
            actions={
              <Button small onClick={() => setChecked(undefined)}>
                Close
              </Button>
            }
          >
            <VerifyBill taskId={checked.id} atOnce />
          </Card>
        </div>
      )}
    </>
  );
}

function bringIntoView(element: HTMLDivElement | null): void {
  element?.scrollIntoView({ block: "center" });
}

function Subject({ line: { kind, id, modelId, records } }: { line: BillingLine }) {
  if (kind !== "session") return <Link href={`/tasks/${id}`}>{modelTitle(modelId)}</Link>;
  return (
    <>
      <Link href={`/sessions/${id}`}>{modelTitle(modelId)}</Link>
      <br />
      <span className="soft small">
        session, {formatInteger(records)} {records === 1n ? "record" : "records"}
      </span>
    </>
  );
}

/** Who executed, and what became of the bill when the payer demanded the output. */
function Executor({ line: { bill, bondUsd6 }, nodeId }: { line: BillingLine; nodeId: string }) {
  const node = (
    <Link href={`/nodes/${nodeId}`} className={styles.node}>
      node-{nodeId}
    </Link>
  );
  if (bill === undefined || bill === "Standing") return node;
  return (
    <>
      {node}
      <br />
      <span className="soft small">
        {bill === "Delivered" ? (
          <>
            delivered on demand, bond lost <Amount value={bondUsd6} />
          </>
        ) : bill === "Forfeited" ? (
          "bill forfeited"
        ) : (
          "output demanded"
        )}
      </span>
    </>
  );
}

function Returned() {
  return <Status tone="off">returned</Status>;
}

function figure(line: BillingLine, value: bigint): string {
  return line.kind !== "settled" ? "–" : formatInteger(value);
}

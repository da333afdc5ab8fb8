"use client";
/** The bills of a session lane by lane, page by page; one can be recomputed here, all of them exported. */
import { lazy, Suspense, useState } from "react";
import { Amount } from "../../components/Amount.tsx";
import { Button } from "../../components/Button.tsx";
import { Card } from "../../components/Card.tsx";
import { Choice } from "../../components/Choice.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { TxLink } from "../../components/Hash.tsx";
import { Loading } from "../../components/Loading.tsx";
import { SkeletonRows } from "../../components/Skeleton.tsx";
import { Table } from "../../components/Table.tsx";
import { useSubgraph } from "../../hooks/useSubgraph.ts";
import { useUrlState } from "../../hooks/useUrlState.ts";
import { wordOf } from "../../lib/enumWords.ts";
import { formatDateTime, formatInteger } from "../../lib/format.ts";
import { billPage } from "../../lib/session/billPages.ts";
import {
  sessionBillFields,
  type LaneRow,
  type SessionBillRow,
  type SessionRow,
} from "../../lib/subgraph/sessionModel.ts";
import { ExportBills } from "./ExportBills.tsx";
import styles from "./SessionBills.module.css";
import { SessionBillFormula } from "./SessionBillFormula.tsx";

/** Fetched when a bill is checked. */
const VerifySessionBill = lazy(async () => ({ default: (await import("./VerifySessionBill.tsx")).VerifySessionBill }));

const query = `query SessionBills($lane: String!, $first: BigInt!, $last: BigInt!) {
  sessionBills(first: 50, orderBy: seq, orderDirection: desc, where: { lane: $lane, seq_gte: $first, seq_lte: $last }) {
    ${sessionBillFields}
  }
}`;

export function SessionBills({ session, lanes }: { session: SessionRow; lanes: readonly LaneRow[] }) {
  const billed = lanes.filter(({ seq }) => seq !== "0");
  if (billed.length === 0) {
    return (
      <Card title="Bills" flush>
        <EmptyState title="Nothing was billed yet">
          A bill for each record appears here as soon as a voucher of it is settled.
        </EmptyState>
      </Card>
    );
  }
  return <LaneBills session={session} lanes={billed} />;
}

function LaneBills({ session, lanes }: { session: SessionRow; lanes: readonly LaneRow[] }) {
  const options = lanes.map(({ node }) => ({ value: node.id, title: `node-${node.id}` }));
  const [nodeId, setNodeId] = useUrlState<string>("node", {
    values: options.map(({ value }) => value),
    fallback: options[0]?.value ?? "",
  });
  const [asked, setAsked] = useState<number | undefined>(undefined);
  const [checked, setChecked] = useState<SessionBillRow | undefined>(undefined);
  const lane = lanes.find(({ node }) => node.id === nodeId) ?? lanes[0];
  const { page, pages, firstSeq, lastSeq } = billPage({ records: BigInt(lane?.seq ?? 0), asked });
  const answer = useSubgraph<{ sessionBills: SessionBillRow[] }>({
    key: "sessionBills",
    query,
    variables: { lane: lane?.id ?? "", first: String(firstSeq), last: String(lastSeq) },
  });
  const bills = answer.data?.sessionBills;
  const choose = (next: number): void => setAsked(next === pages ? undefined : next);
  return (
    <>
      <Card
        title="Bills"
        note="What a record adds to its lane's ⌊weight × power × price ÷ 10¹³⌋; an execution weighs 10,000 a ms, a standby line 1,000"
        actions={<ExportBills session={session} />}
        flush
      >
        <div className={styles.bar}>
          <Choice
            label="Lane"
            options={options}
            value={lane?.node.id ?? ""}
            onChange={(value) => {
              setAsked(undefined);
              setChecked(undefined);
              setNodeId(value);
            }}
          />
          <span className={styles.space} />
          <Button
            small
            disabled={page === pages}
            title={page === pages ? "This is the newest page." : undefined}
            onClick={() => choose(page + 1)}
          >
            Newer
          </Button>
          <span className="soft small" role="status">
            Records {formatInteger(firstSeq)} to {formatInteger(lastSeq)} of {formatInteger(BigInt(lane?.seq ?? 0))}
          </span>
          <Button
            small
            disabled={page === 1}
            title={page === 1 ? "This is the oldest page." : undefined}
            onClick={() => choose(page - 1)}
          >
            Older
          </Button>
        </div>
        {bills === undefined ? (
          <Loading error={answer.error} rows={6} />
        ) : (
          <BillRows bills={bills} onVerify={setChecked} />
        )}
      </Card>
      {checked === undefined ? null : (
        <div ref={bringIntoView} key={checked.id}>
          <Card
            title={`Bill of record ${formatInteger(BigInt(checked.seq))}, node-${checked.node.id}`}
            note="Recomputed in this browser from the chain's events"
            actions={
              <Button small onClick={() => setChecked(undefined)}>
                Close
              </Button>
            }
          >
            <SessionBillFormula bill={checked} />
            <Suspense fallback={<SkeletonRows rows={6} />}>
              <VerifySessionBill session={session} bill={checked} />
            </Suspense>
          </Card>
        </div>
      )}
    </>
  );
}

function BillRows(props: { bills: readonly SessionBillRow[]; onVerify: (bill: SessionBillRow) => void }) {
  const { bills, onVerify } = props;
  return (
    <Table
      caption="Bills of this lane"
      rows={bills}
      keyOf={(bill) => bill.id}
      columns={[
        { title: "Record", cell: (bill) => formatInteger(BigInt(bill.seq)) },
        { title: "Kind", cell: (bill) => wordOf("SessionBillKind", bill.kind) },
        { title: "Settled", cell: (bill) => formatDateTime(BigInt(bill.timestamp)) },
        { title: "Power, CU", figure: true, cell: (bill) => formatInteger(BigInt(bill.powerCu)) },
        { title: "Time, ms", figure: true, cell: (bill) => formatInteger(BigInt(bill.durationMs)) },
        { title: "Price", figure: true, cell: (bill) => <Amount value={BigInt(bill.priceUsd6PerGcums)} bare /> },
        {
          title: "Amount, USD",
          figure: true,
          cell: (bill) => <Amount value={BigInt(bill.amountUsd6)} digits={6} bare />,
        },
        { title: "Transaction", cell: (bill) => <TxLink hash={bill.tx} /> },
        {
          title: "Check",
          cell: (bill) => (
            <Button small onClick={() => onVerify(bill)} aria-label={`Verify the bill of record ${bill.seq}`}>
              Verify
            </Button>
          ),
        },
      ]}
    />
  );
}

function bringIntoView(element: HTMLDivElement | null): void {
  element?.scrollIntoView({ block: "center" });
}

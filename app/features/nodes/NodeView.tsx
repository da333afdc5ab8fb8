"use client";
/** One machine: stake and state by the contracts, history by the index, and what it says of itself. */
import Link from "next/link";
import type { Hex } from "viem";
import { Amount } from "../../components/Amount.tsx";
import { Banner } from "../../components/Banner.tsx";
import { Card } from "../../components/Card.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { Hash, TxLink } from "../../components/Hash.tsx";
import { Loading } from "../../components/Loading.tsx";
import { Columns, Page } from "../../components/Page.tsx";
import { Skeleton } from "../../components/Skeleton.tsx";
import { Status } from "../../components/Status.tsx";
import { Table } from "../../components/Table.tsx";
import { Time } from "../../components/Time.tsx";
import { useMaturesBy } from "../../hooks/useMaturesBy.ts";
import { useMoney } from "../../hooks/useMoney.ts";
import { useRoster } from "../../hooks/useRoster.ts";
import { useSubgraph } from "../../hooks/useSubgraph.ts";
import { formatDateTime, formatInteger, formatMs } from "../../lib/format.ts";
import { wordOf } from "../../lib/enumWords.ts";
import { modelTitle } from "../../lib/models.ts";
import {
  billFields,
  disputeFields,
  nodeFields,
  slashFields,
  stakeEventFields,
  type BillRow,
  type DisputeRow,
  type NodeRow,
  type SlashRow,
  type StakeEventRow,
} from "../../lib/subgraph/model.ts";
import { settledVoucherFields, type SettledVoucherRow } from "../../lib/subgraph/sessionModel.ts";
import { Disputes } from "./Disputes.tsx";
import { NodeOnChain } from "./NodeOnChain.tsx";
import { NodeStatus } from "./Nodes.tsx";
import styles from "./NodeView.module.css";
import { NodeVouchers } from "./NodeVouchers.tsx";
import { Slashes } from "./Slashes.tsx";
import { slotsText } from "./slotsText.ts";
import { StakeEvents } from "./StakeEvents.tsx";

const query = `query Node($id: ID!, $node: String!) {
  node(id: $id) { ${nodeFields} }
  bills(first: 20, orderBy: position, orderDirection: desc, where: { node: $node }) { ${billFields} }
  vouchers: sessionEvents(first: 20, orderBy: position, orderDirection: desc, where: { node: $node, kind: Settled }) { ${settledVoucherFields} }
  stakeEvents(first: 20, orderBy: position, orderDirection: desc, where: { node: $node }) { ${stakeEventFields} }
  slashes(first: 50, orderBy: slashedAt, orderDirection: desc, where: { node: $node }) { ${slashFields} }
  disputes(first: 20, orderBy: position, orderDirection: desc, where: { node: $node }) { ${disputeFields} }
}`;

interface NodeAnswer {
  node: NodeRow | null;
  bills: BillRow[];
  vouchers: SettledVoucherRow[];
  stakeEvents: StakeEventRow[];
  slashes: SlashRow[];
  disputes: DisputeRow[];
}

export function NodeView({ nodeId }: { nodeId: number }) {
  const id = String(nodeId);
  const answer = useSubgraph<NodeAnswer>({
    key: "node",
    query,
    variables: { id, node: id },
  });
  const node = answer.data?.node;
  const roster = useRoster();
  const entry = roster.data?.find((candidate) => candidate.nodeId === nodeId);
  return (
    <Page
      title={`node-${nodeId}`}
      lead={
        node === undefined || node === null ? (
          <Skeleton width="5em" />
        ) : (
          <NodeStatus node={node} entry={roster.data === undefined ? undefined : (entry ?? "offline")} />
        )
      }
    >
      {answer.data !== undefined && node === null ? (
        <Banner tone="warning" title="The index does not know this node (yet)" />
      ) : null}
      <NodeOnChain nodeId={nodeId} />
      <Columns>
        <Card title="Machine">
          <div className={styles.machine}>
            {node === undefined || node === null ? <Loading error={answer.error} rows={8} /> : <Identity node={node} />}
          </div>
        </Card>
        <Card title="As reported" note="The node's own word to the gateway; nothing of it decides a bill">
          <div className={styles.reported}>
            {entry === undefined ? (
              <p className="soft">
                {roster.data === undefined ? "The gateway is asked…" : "It is not connected to the gateway."}
              </p>
            ) : (
              <dl className={styles.pairs}>
                <dt>Own benchmark</dt>
                <dd>{formatInteger(entry.benchmarkCu)} CU</dd>
                <dt>Free slots</dt>
                <dd>{slotsText(entry)}</dd>
                <dt>Execution provider</dt>
                <dd>{entry.executionProvider}</dd>
                <dt>Agent version</dt>
                <dd>{entry.agentVersion}</dd>
                <dt>Last heartbeat</dt>
                <dd>{formatMs(entry.silentMs)} ago</dd>
                <dt>Models</dt>
                <dd>{entry.models.map(modelTitle).join(", ")}</dd>
              </dl>
            )}
          </div>
        </Card>
      </Columns>
      <Card title="Latest bills" flush>
        {answer.data === undefined ? (
          <Loading error={answer.error} rows={3} />
        ) : (
          <Bills bills={answer.data.bills ?? []} />
        )}
      </Card>
      {answer.data === undefined ? null : (
        <>
          {(answer.data.vouchers ?? []).length === 0 ? null : (
            <Card title="Latest vouchers of sessions" flush>
              <NodeVouchers vouchers={answer.data.vouchers ?? []} />
            </Card>
          )}
          <Card title="Slashes" note="Held until they are payable; an appeal gives them back" flush>
            <Slashes slashes={answer.data.slashes ?? []} />
          </Card>
          {(answer.data.disputes ?? []).length === 0 ? null : (
            <Card title="Disputes" flush>
              <Disputes disputes={answer.data.disputes ?? []} />
            </Card>
          )}
          <Card title="Stake history" flush>
            <StakeEvents events={answer.data.stakeEvents ?? []} />
          </Card>
        </>
      )}
    </Page>
  );
}

function Identity({ node }: { node: NodeRow }) {
  return (
    <dl className={styles.pairs}>
      <dt>Class</dt>
      <dd>{node.nodeClass.name}</dd>
      <dt>Owner</dt>
      <dd>
        <Hash value={node.owner} label="owner" />
      </dd>
      <dt>Operator</dt>
      <dd>
        <Hash value={node.operator} label="operator" />
      </dd>
      <dt>Payout</dt>
      <dd>
        <Hash value={node.payout} label="payout address" />
      </dd>
      <dt>Registered</dt>
      <dd>
        {formatDateTime(BigInt(node.registeredAt))} · <TxLink hash={node.registeredTx} />
      </dd>
      <dt>Assigned, accepted</dt>
      <dd>
        {formatInteger(BigInt(node.tasksAssigned))}, {formatInteger(BigInt(node.tasksAccepted))}
      </dd>
      <dt>Served, failed, stood by</dt>
      <dd>
        {formatInteger(BigInt(node.tasksServed))}
        {BigInt(node.tasksForfeited) === 0n ? "" : ` (${formatInteger(BigInt(node.tasksForfeited))} forfeited)`},{" "}
        {formatInteger(BigInt(node.tasksFailed))}, {formatInteger(BigInt(node.tasksStandby))}
      </dd>
      <dt>Earned</dt>
      <dd>
        <Amount value={BigInt(node.earnedUsd6)} />, of it <Amount value={BigInt(node.standbyUsd6)} /> for standing by
      </dd>
      <dt>Not payable yet</dt>
      <dd>
        <NotPayable payout={node.payout} />
      </dd>
    </dl>
  );
}

/** By the vault's word, of all that its payout address earned. */
function NotPayable({ payout }: { payout: Hex }) {
  const money = useMoney({ account: payout }).data;
  const by = useMaturesBy({ account: payout, money });
  if (money === undefined) return <Skeleton />;
  if (money.immatureUsd6 === 0n) return "nothing";
  return (
    <>
      <Amount value={money.immatureUsd6} /> of its payout address
      {by === undefined ? null : (
        <>
          , all of it payable by <Time at={by} />
        </>
      )}
    </>
  );
}

function Bills({ bills }: { bills: readonly BillRow[] }) {
  if (bills.length === 0) return <EmptyState title="It has not been paid for a task yet" />;
  return (
    <Table
      caption="Latest bills of this node"
      rows={bills}
      keyOf={(bill) => bill.id}
      columns={[
        { title: "Task", cell: (bill) => <Link href={`/tasks/${bill.id}`}>{modelTitle(bill.modelId)}</Link> },
        { title: "Settled", cell: (bill) => formatDateTime(BigInt(bill.timestamp)) },
        {
          title: "Attempt",
          figure: true,
          cell: (bill) => (bill.attempt === 0 ? "first" : `taken over, ${bill.attempt}`),
        },
        { title: "Time", figure: true, cell: (bill) => formatMs(Number(bill.durationMs)) },
        { title: "Amount", figure: true, cell: (bill) => <Amount value={BigInt(bill.amountUsd6)} digits={6} /> },
        { title: "Bill", cell: (bill) => <BillStatus bill={bill} /> },
        { title: "Transaction", cell: (bill) => <TxLink hash={bill.tx} /> },
      ]}
    />
  );
}

function BillStatus({ bill: { state } }: { bill: BillRow }) {
  const tone = state === "Forfeited" ? "failed" : state === "Demanded" ? "working" : "final";
  return <Status tone={tone}>{wordOf("BillState", state)}</Status>;
}

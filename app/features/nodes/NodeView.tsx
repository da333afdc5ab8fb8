"use client";
/** One machine: stake and state by the contracts, history by the index, and what it says of itself. */
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import { stakeVaultAbi } from "@ngpu/protocol/generated/abi/stakeVault";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { Amount } from "../../components/Amount.tsx";
import { Banner } from "../../components/Banner.tsx";
import { Card } from "../../components/Card.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { Hash, TxLink } from "../../components/Hash.tsx";
import { Loading } from "../../components/Loading.tsx";
import { Columns, Figure, Figures, Page } from "../../components/Page.tsx";
import { Skeleton } from "../../components/Skeleton.tsx";
import { Table } from "../../components/Table.tsx";
import { useChain } from "../../hooks/useChain.ts";
import { useHead } from "../../hooks/useHead.ts";
import { useRoster } from "../../hooks/useRoster.ts";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import { useSubgraph } from "../../hooks/useSubgraph.ts";
import { explainError } from "../../lib/explainError.ts";
import { formatDateTime, formatInteger, formatMs, formatSeconds } from "../../lib/format.ts";
import { modelTitle } from "../../lib/models.ts";
import { billFields, nodeFields, type BillRow, type NodeRow, type StakeEventRow } from "../../lib/subgraph/model.ts";
import { nextPollMs } from "../../lib/pollMs.ts";
import { NodeStatus } from "./Nodes.tsx";
import styles from "./NodeView.module.css";
import { slotsText } from "./slotsText.ts";

const query = `query Node($id: ID!, $node: String!) {
  node(id: $id) { ${nodeFields} }
  bills(first: 20, orderBy: position, orderDirection: desc, where: { node: $node }) { ${billFields} }
  stakeEvents(first: 20, orderBy: position, orderDirection: desc, where: { node: $node }) { id kind amountWei stakedWei timestamp tx }
}`;

export function NodeView({ nodeId }: { nodeId: number }) {
  const id = String(nodeId);
  const answer = useSubgraph<{ node: NodeRow | null; bills: BillRow[]; stakeEvents: StakeEventRow[] }>({
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
      <OnChain nodeId={nodeId} />
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
        <Card title="Stake history" flush>
          <StakeEvents events={answer.data.stakeEvents ?? []} />
        </Card>
      )}
    </Page>
  );
}

function OnChain({ nodeId }: { nodeId: number }) {
  const { deployment } = useRuntime();
  const chain = useChain();
  const head = useHead().data;
  const answer = useQuery({
    queryKey: ["nodeOnChain", deployment.stakeVault, nodeId],
    queryFn: async () => {
      const registry = { address: deployment.nodeRegistry, abi: nodeRegistryAbi } as const;
      const [stake, powerCu, eligible] = await Promise.all([
        chain.readContract({
          address: deployment.stakeVault,
          abi: stakeVaultAbi,
          functionName: "stakeOf",
          args: [nodeId],
        }),
        chain.readContract({ ...registry, functionName: "powerOf", args: [nodeId] }),
        chain.readContract({ ...registry, functionName: "isEligible", args: [nodeId] }),
      ]);
      return { stake, powerCu, eligible };
    },
    refetchInterval: () => nextPollMs(4_000),
  });
  if (answer.error !== null) {
    const { title, text, tone } = explainError(answer.error);
    return (
      <Banner tone={tone} title={title}>
        {text}
      </Banner>
    );
  }
  const found = answer.data;
  const waitS =
    found === undefined || head === undefined ? undefined : Number(BigInt(found.stake.unlockAt) - head.timestamp);
  return (
    <Figures>
      <Figure label="Stake" note="thawing included">
        {found === undefined ? <Skeleton /> : <Amount kind="wei" value={found.stake.stakedWei} size="large" />}
      </Figure>
      <Figure
        label="Leaving"
        note={
          found !== undefined && found.stake.thawingWei > 0n && waitS !== undefined
            ? waitS > 0
              ? `free in ${formatSeconds(waitS)}`
              : "free now"
            : "nothing is thawing"
        }
      >
        {found === undefined ? <Skeleton /> : <Amount kind="wei" value={found.stake.thawingWei} size="large" />}
      </Figure>
      <Figure label="Power" note="of its class, billed">
        {found === undefined ? <Skeleton /> : `${formatInteger(found.powerCu)} CU`}
      </Figure>
      <Figure label="Takes tasks" note="by the contract">
        {found === undefined ? <Skeleton /> : found.eligible ? "yes" : "no"}
      </Figure>
    </Figures>
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
      <dt>Served, failed</dt>
      <dd>
        {formatInteger(BigInt(node.tasksServed))}, {formatInteger(BigInt(node.tasksFailed))}
      </dd>
      <dt>Earned</dt>
      <dd>
        <Amount value={BigInt(node.earnedUsd6)} />
      </dd>
    </dl>
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
          cell: (bill) => (bill.attempt === 0 ? "primary" : `backup, ${bill.attempt}`),
        },
        { title: "Time", figure: true, cell: (bill) => formatMs(Number(bill.durationMs)) },
        { title: "Amount", figure: true, cell: (bill) => <Amount value={BigInt(bill.amountUsd6)} digits={6} /> },
        { title: "Transaction", cell: (bill) => <TxLink hash={bill.tx} /> },
      ]}
    />
  );
}

const kinds = { Deposited: "Staked", ExitBegun: "Exit begun", ExitCancelled: "Exit cancelled", Withdrawn: "Withdrawn" };

function StakeEvents({ events }: { events: readonly StakeEventRow[] }) {
  if (events.length === 0) return <EmptyState title="Nothing was staked for it yet" />;
  return (
    <Table
      caption="Stake history of this node"
      rows={events}
      keyOf={(event) => event.id}
      columns={[
        { title: "What", cell: (event) => kinds[event.kind] },
        { title: "When", cell: (event) => formatDateTime(BigInt(event.timestamp)) },
        { title: "Amount", figure: true, cell: (event) => <Amount kind="wei" value={BigInt(event.amountWei)} /> },
        { title: "Stake after", figure: true, cell: (event) => <Amount kind="wei" value={BigInt(event.stakedWei)} /> },
        { title: "Transaction", cell: (event) => <TxLink hash={event.tx} /> },
      ]}
    />
  );
}

"use client";
/** Every registered machine: what it holds, what it does, what it earned. */
import type { OnlineNode } from "@ngpu/client/fetchRoster";
import Link from "next/link";
import { Amount } from "../../components/Amount.tsx";
import { Banner } from "../../components/Banner.tsx";
import { ButtonLink } from "../../components/Button.tsx";
import { Card } from "../../components/Card.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { Page } from "../../components/Page.tsx";
import { Loading } from "../../components/Loading.tsx";
import { Status } from "../../components/Status.tsx";
import { Table } from "../../components/Table.tsx";
import { useHead } from "../../hooks/useHead.ts";
import { useRoster } from "../../hooks/useRoster.ts";
import { formatInteger } from "../../lib/format.ts";
import type { NodeRow } from "../../lib/subgraph/model.ts";
import { nodeState } from "./nodeState.ts";
import { slotsText } from "./slotsText.ts";
import { useNodes } from "./useNodes.ts";

export function Nodes() {
  const nodes = useNodes();
  const roster = useRoster();
  const online = new Map(roster.data?.map((entry) => [entry.nodeId, entry]));
  return (
    <Page
      title="Nodes"
      lead="Power that is billed is its class's minimum or what keepers measured, never the node's own word. What a node says of itself is marked as reported."
      actions={<ButtonLink href="/earn">Add a machine</ButtonLink>}
    >
      {roster.error !== null ? (
        <Banner tone="warning" title="The gateway does not answer">
          Who is online cannot be told until it does; stakes and earnings below are from the chain.
        </Banner>
      ) : null}
      <Card
        title={
          nodes.data === undefined ? "Nodes" : `${nodes.data.length} registered, ${roster.data?.length ?? "…"} online`
        }
        flush
      >
        {nodes.data === undefined ? (
          <Loading error={nodes.error} />
        ) : nodes.data.length === 0 ? (
          <EmptyState
            title="No machine is registered yet"
            action={<ButtonLink href="/earn">Register the first one</ButtonLink>}
          />
        ) : (
          <NodeTable nodes={nodes.data} online={online} known={roster.data !== undefined} />
        )}
      </Card>
    </Page>
  );
}

function NodeTable(props: { nodes: readonly NodeRow[]; online: ReadonlyMap<number, OnlineNode>; known: boolean }) {
  const { nodes, online, known } = props;
  const entryOf = (node: NodeRow): OnlineNode | undefined => online.get(Number(node.id));
  return (
    <Table
      caption="Registered nodes"
      rows={nodes}
      keyOf={(node) => node.id}
      columns={[
        { title: "Node", cell: (node) => <Link href={`/nodes/${node.id}`}>node-{node.id}</Link> },
        {
          title: "State",
          cell: (node) => <NodeStatus node={node} entry={known ? (entryOf(node) ?? "offline") : undefined} />,
        },
        { title: "Class", cell: (node) => node.nodeClass.name },
        { title: "Power", figure: true, cell: (node) => `${formatInteger(BigInt(node.powerCu))} CU` },
        { title: "As reported", figure: true, cell: (node) => reportedPower(entryOf(node)) },
        { title: "Stake", figure: true, cell: (node) => <Amount kind="wei" value={BigInt(node.stakedWei)} /> },
        { title: "Free slots", figure: true, cell: (node) => slots(entryOf(node)) },
        { title: "Served", figure: true, cell: (node) => formatInteger(BigInt(node.tasksServed)) },
        { title: "Earned", figure: true, cell: (node) => <Amount value={BigInt(node.earnedUsd6)} digits={6} /> },
      ]}
    />
  );
}

export function NodeStatus({ node, entry }: { node: NodeRow; entry: OnlineNode | "offline" | undefined }) {
  const head = useHead().data;
  const { tone, word } = nodeState(node, entry, head?.timestamp);
  return <Status tone={tone}>{word}</Status>;
}

function reportedPower(entry: OnlineNode | undefined) {
  return entry === undefined ? <span className="soft">–</span> : `${formatInteger(entry.benchmarkCu)} CU`;
}

function slots(entry: OnlineNode | undefined) {
  return entry === undefined ? <span className="soft">–</span> : slotsText(entry);
}

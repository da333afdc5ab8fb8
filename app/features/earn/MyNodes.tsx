"use client";
import type { Address } from "viem";
import { Banner } from "../../components/Banner.tsx";
import { Card } from "../../components/Card.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { SkeletonRows } from "../../components/Skeleton.tsx";
import { explainError } from "../../lib/explainError.ts";
import { Earnings } from "./Earnings.tsx";
import { MyNodeCard } from "./MyNodeCard.tsx";
import { useMyNodes } from "./useMyNodes.ts";

export function MyNodes({ account }: { account: Address }) {
  const nodes = useMyNodes(account);
  if (nodes.error !== null && nodes.data === undefined) {
    const { title, text, tone } = explainError(nodes.error);
    return (
      <Banner tone={tone} title={title}>
        {text}
      </Banner>
    );
  }
  if (nodes.data === undefined) {
    return (
      <Card title="My machines">
        <SkeletonRows rows={3} />
      </Card>
    );
  }
  if (nodes.data.length === 0) {
    return (
      <Card title="My machines" flush>
        <EmptyState title="This account owns no machine yet">
          Start an agent and register it with the code it prints; both steps are below.
        </EmptyState>
      </Card>
    );
  }
  const payouts = [...new Set(nodes.data.map(({ payout }) => payout))];
  return (
    <>
      {payouts.map((payout) => (
        <Earnings key={payout} payout={payout} account={account} />
      ))}
      {nodes.data.map((node) => (
        <MyNodeCard key={node.nodeId} node={node} account={account} />
      ))}
    </>
  );
}

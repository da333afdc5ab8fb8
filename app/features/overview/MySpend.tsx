"use client";
import type { Address } from "viem";
import { Amount } from "../../components/Amount.tsx";
import { ButtonLink } from "../../components/Button.tsx";
import { Card } from "../../components/Card.tsx";
import { Skeleton } from "../../components/Skeleton.tsx";
import { useHead } from "../../hooks/useHead.ts";
import { useMoney } from "../../hooks/useMoney.ts";
import { useSubgraph } from "../../hooks/useSubgraph.ts";
import styles from "./MySpend.module.css";

const query = `query MySpend($payer: String!, $from: BigInt!) {
  payerDays(first: 31, where: { payer: $payer, day_gte: $from }) { id tasksSettled settledUsd6 bondsLostUsd6 }
}`;

interface SpendDay {
  id: string;
  tasksSettled: string;
  /** Bills with their standby, forfeited ones not included. */
  settledUsd6: string;
  bondsLostUsd6: string;
}

export function MySpend({ account }: { account: Address }) {
  const head = useHead();
  const money = useMoney({ account });
  const from = head.data === undefined ? 0n : head.data.timestamp / 86_400n - 29n;
  const answer = useSubgraph<{ payerDays: SpendDay[] }>({
    key: "mySpend",
    query,
    variables: { payer: account.toLowerCase(), from: String(from) },
    enabled: head.data !== undefined,
  });
  const days = answer.data?.payerDays;
  const spent = days?.reduce((sum, day) => sum + BigInt(day.settledUsd6) + BigInt(day.bondsLostUsd6), 0n);
  const tasks = days?.reduce((sum, day) => sum + Number(day.tasksSettled), 0);
  return (
    <Card
      title="My spend, last 30 days"
      actions={
        <ButtonLink href="/billing" small>
          Billing
        </ButtonLink>
      }
    >
      <p>
        {spent === undefined ? (
          answer.error === null ? (
            <Skeleton width="8em" height="32px" />
          ) : (
            "–"
          )
        ) : (
          <Amount value={spent} size="hero" />
        )}
      </p>
      <p className="soft small">
        {tasks === undefined ? "…" : `for ${tasks} settled ${tasks === 1 ? "task" : "tasks"}, sessions included`}
      </p>
      <dl className={styles.pairs}>
        <dt>In my balance</dt>
        <dd>{money.data === undefined ? <Skeleton /> : <Amount value={money.data.availableUsd6} digits={6} />}</dd>
        <dt>Reserved for open tasks</dt>
        <dd>{money.data === undefined ? <Skeleton /> : <Amount value={money.data.reservedUsd6} digits={6} />}</dd>
      </dl>
    </Card>
  );
}

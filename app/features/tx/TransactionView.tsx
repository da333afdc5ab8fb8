"use client";
/**
 * One transaction from the configured chain, since a local chain has no explorer: what it did, event by event, and
 * whether it is final.
 */
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { Hex } from "viem";
import { TransactionNotFoundError, TransactionReceiptNotFoundError } from "viem";
import { Banner } from "../../components/Banner.tsx";
import { Card } from "../../components/Card.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { Hash } from "../../components/Hash.tsx";
import { Figure, Figures, Page } from "../../components/Page.tsx";
import { Skeleton, SkeletonRows } from "../../components/Skeleton.tsx";
import { Status } from "../../components/Status.tsx";
import { useChain } from "../../hooks/useChain.ts";
import { useHead } from "../../hooks/useHead.ts";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import { decodeEvents, type DecodedEvent } from "../../lib/decodeEvents.ts";
import { explainError } from "../../lib/explainError.ts";
import { finalityOf } from "../../lib/finality.ts";
import { formatDateTime, formatInteger } from "../../lib/format.ts";
import styles from "./TransactionView.module.css";

export function TransactionView({ hash }: { hash: Hex }) {
  const { deployment, chainId } = useRuntime();
  const chain = useChain();
  const answer = useQuery({
    queryKey: ["transaction", chainId, hash],
    queryFn: async () => {
      const receipt = await chain.getTransactionReceipt({ hash });
      const block = await chain.getBlock({ blockNumber: receipt.blockNumber });
      return { receipt, timestamp: block.timestamp, events: await decodeEvents(receipt.logs, deployment) };
    },
    retry: false,
    refetchInterval: ({ state }) => (state.data === undefined ? 1_000 : false),
  });
  const head = useHead({ until: answer.data?.receipt.blockNumber }).data;
  const missing =
    answer.error instanceof TransactionReceiptNotFoundError || answer.error instanceof TransactionNotFoundError;
  const found = answer.data;
  const finality =
    found === undefined || head === undefined
      ? undefined
      : finalityOf({ chainId, block: found.receipt.blockNumber, head });
  return (
    <Page title="Transaction" lead={<Hash value={hash} label="transaction hash" />}>
      {missing ? (
        <Banner tone="warning" title="The chain has not mined this transaction (yet)">
          It is asked again each second. A local chain that was restarted has forgotten its transactions.
        </Banner>
      ) : answer.error === null ? null : (
        <Banner tone="error" title={explainError(answer.error).title}>
          {explainError(answer.error).text}
        </Banner>
      )}
      <Figures>
        <Figure label="Outcome">
          {found === undefined ? (
            <Skeleton />
          ) : found.receipt.status === "success" ? (
            <Status tone="final">Succeeded</Status>
          ) : (
            <Status tone="failed">Reverted</Status>
          )}
        </Figure>
        <Figure label="Finality">
          {finality === undefined ? (
            <Skeleton />
          ) : finality.kind === "final" ? (
            <Status tone="final">Final</Status>
          ) : (
            <Status tone="reversible">
              {finality.untilBlock === undefined
                ? "Reversible"
                : `Reversible until block ${formatInteger(finality.untilBlock)}`}
            </Status>
          )}
        </Figure>
        <Figure label="Block" note={found === undefined ? "…" : formatDateTime(found.timestamp)}>
          {found === undefined ? <Skeleton /> : formatInteger(found.receipt.blockNumber)}
        </Figure>
        <Figure label="Gas used">{found === undefined ? <Skeleton /> : formatInteger(found.receipt.gasUsed)}</Figure>
        <Figure label="From">
          {found === undefined ? <Skeleton /> : <Hash value={found.receipt.from} label="sender" />}
        </Figure>
      </Figures>
      <Card title="What it did">
        {found === undefined ? (
          <SkeletonRows rows={3} />
        ) : found.events.length === 0 ? (
          <EmptyState title="It left no events" />
        ) : (
          <Events events={found.events} />
        )}
      </Card>
    </Page>
  );
}

function Events({ events }: { events: readonly DecodedEvent[] }) {
  return (
    <ol className={styles.events}>
      {events.map(({ logIndex, contract, name, args }) => (
        <li key={logIndex}>
          <h3>
            {name} <span className={styles.contract}>{contract}</span>
          </h3>
          <dl className={styles.args}>
            {args.map((arg) => (
              <div key={arg.name}>
                <dt>{arg.name}</dt>
                <dd>
                  <Value name={arg.name} value={arg.value} />
                </dd>
              </div>
            ))}
          </dl>
        </li>
      ))}
    </ol>
  );
}

function Value({ name, value }: { name: string; value: string }) {
  if (name === "taskId") return <Hash value={value} href={`/tasks/${value}`} label="Task" copy={false} />;
  if (name === "sessionId") return <Hash value={value} href={`/sessions/${value}`} label="Session" copy={false} />;
  if (name === "nodeId" && value !== "0") return <Link href={`/nodes/${value}`}>node-{value}</Link>;
  if (/^0x[0-9a-f]*$/i.test(value)) return <Hash value={value} label={name} />;
  return <code>{/^\d+$/.test(value) ? formatInteger(BigInt(value)) : value}</code>;
}

"use client";
/** What one stage says beneath its title: who, how much, which transaction, and whether it can still be undone. */
import type { ReactNode } from "react";
import Link from "next/link";
import { Amount } from "../../components/Amount.tsx";
import { Progress } from "../../components/Progress.tsx";
import { TxLink } from "../../components/Hash.tsx";
import { Time } from "../../components/Time.tsx";
import { formatInteger, formatMs, formatSeconds } from "../../lib/format.ts";
import type { Finality } from "../../lib/finality.ts";
import { indexWordsOfTask } from "../../lib/indexWords.ts";
import { demandOf } from "../../lib/payerWindow.ts";
import { takeoverOf } from "../../lib/takeover.ts";
import type { Stage } from "../../lib/taskStages.ts";
import { failureWords } from "./failureWords.ts";
import styles from "./StageDetail.module.css";
import type { TaskModel } from "./useTask.ts";

export function StageDetail({ task, stage }: { task: TaskModel; stage: Stage }) {
  const words = wordsOf(task, stage);
  return (
    <>
      {words === null ? null : <div>{words}</div>}
      {stage.tx === undefined ? null : <Transaction hash={stage.tx.hash} finality={stage.tx.finality} />}
    </>
  );
}

function Transaction({ hash, finality }: { hash: string; finality: Finality | undefined }) {
  return (
    <div className={styles.tx}>
      <span>
        tx <TxLink hash={hash} />
      </span>
      {finality === undefined ? null : finality.kind === "final" ? (
        <span className={styles.final}>final</span>
      ) : (
        <span className={styles.reversible}>
          reversible{finality.untilBlock === undefined ? "" : ` until block ${formatInteger(finality.untilBlock)}`}
        </span>
      )}
    </div>
  );
}

function wordsOf(task: TaskModel, stage: Stage): ReactNode {
  switch (stage.id) {
    case "posted":
      return postedWords(task, stage);
    case "assigned":
      return assignedWords(task, stage);
    case "wrapped":
      return wrappedWords(task, stage);
    case "accepted":
      return acceptedWords(task);
    case "running":
      return runningWords(task, stage);
    case "result":
      return resultWords(task, stage);
    case "settled":
      return settledWords(task, stage);
    case "refunded":
    case "cancelled":
      return returnedWords(stage);
    case "demanded":
    case "answer":
    case "delivered":
    case "forfeited":
      return demandWords(task, stage);
    case "indexed":
      return stage.state === "waiting" ? null : indexWordsOfTask[task.indexWait];
  }
}

function postedWords({ feed }: TaskModel, { row, state }: Stage): ReactNode {
  if (row === undefined) return state === "current" ? "Waiting for the block." : null;
  const { facts, local } = feed;
  return (
    <>
      At most <Amount value={row.args.maxAmountUsd6 as bigint} /> locked.
      {facts.uploaded !== undefined
        ? " Input sealed and stored."
        : local === null || local === undefined
          ? ""
          : " Storing the sealed input…"}
    </>
  );
}

function assignedWords({ rows }: TaskModel, { row, state }: Stage): ReactNode {
  if (row === undefined) return state === "current" ? "A keeper is choosing the nodes." : null;
  const { seats } = row.args as { seats: { nodeId: number }[] };
  const [first, ...backups] = seats.map(({ nodeId }) => nodeId);
  const count = rows.filter((entry) => entry.stage === "assigned").length;
  return (
    <>
      {first === undefined ? null : <NodeLink id={first} />}
      {backups.length === 0 ? (
        ", no backup"
      ) : (
        <>
          , {backups.length === 1 ? "backup" : "backups in this order"} <Nodes ids={backups} />
        </>
      )}
      {count > 1 ? `, assignment ${count}` : ""}
    </>
  );
}

function wrappedWords({ feed }: TaskModel, { state }: Stage): ReactNode {
  const { wrapped } = feed.facts;
  if (wrapped !== undefined)
    return (
      <>
        you → <Nodes ids={wrapped.nodeIds} />
      </>
    );
  if (state === "done") return "By the payer, for the assigned nodes.";
  return state === "current" ? "This device wraps the key for the assigned nodes alone." : null;
}

function acceptedWords({ rows, feed }: TaskModel): ReactNode {
  const onChain = rows.filter((row) => row.stage === "accepted").map((row) => row.args.nodeId as number);
  const ids = [...new Set([...onChain, ...feed.facts.accepted.map((entry) => entry.nodeId)])];
  if (ids.length === 0) return null;
  return (
    <>
      <Nodes ids={ids} /> {ids.length === 1 ? "holds" : "hold"} and checked the input.
    </>
  );
}

function runningWords({ rows, feed }: TaskModel, { state }: Stage): ReactNode {
  const { progress, receipt } = feed.facts;
  const takeover = takeoverOf({ rows, facts: feed.facts });
  const failures = rows.filter((row) => row.stage === "attemptFailed");
  const settled = rows.find((row) => row.stage === "settled")?.args as
    | { nodeId: number; durationMs: number }
    | undefined;
  const done = settled ?? (receipt?.status === 0 ? receipt : undefined);
  return (
    <>
      {done !== undefined ? (
        <>
          {formatMs(done.durationMs)} on <NodeLink id={done.nodeId} />
        </>
      ) : progress !== undefined && state !== "waiting" ? (
        <>
          on <NodeLink id={progress.nodeId} />
          <Progress permille={progress.permille} label="Execution" />
        </>
      ) : null}
      {failures.map((row) => (
        <div key={row.txHash + row.logIndex} className={styles.note}>
          <NodeLink id={row.args.nodeId as number} /> could not execute it:{" "}
          {failureWords[row.args.status as number] ?? "failed"}.
        </div>
      ))}
      {takeover === undefined ? null : (
        <div className={styles.note} data-testid="takeover">
          <NodeLink id={takeover.fromNodeId} />{" "}
          {takeover.reported ? "gave up" : takeover.gapMs === undefined ? "did not deliver" : "went silent"}
          {takeover.reported || takeover.silentSinceS === undefined ? null : (
            <>
              {" "}
              <Time at={takeover.silentSinceS} style="clock" />
            </>
          )}{" "}
          → <NodeLink id={takeover.toNodeId} /> took over
          {takeover.gapMs === undefined ? "" : ` in ${(takeover.gapMs / 1_000).toFixed(2)} s`}
        </div>
      )}
    </>
  );
}

function resultWords({ feed }: TaskModel, { state }: Stage): ReactNode {
  if (feed.facts.result !== undefined) return "Opened on this device only.";
  if (state === "failed") return "Nobody held it.";
  if (feed.local === null) return state === "waiting" ? null : "Only the device that posted it can open it.";
  return state === "current" ? "Waiting for the sealed result." : null;
}

function settledWords({ rows }: TaskModel, { row }: Stage): ReactNode {
  if (row === undefined) return null;
  const { amountUsd6, refundUsd6, nodeId } = row.args as { amountUsd6: bigint; refundUsd6: bigint; nodeId: number };
  const standby = rows.filter(({ stage }) => stage === "standbyPaid");
  return (
    <>
      <Amount value={amountUsd6} /> to <NodeLink id={nodeId} />
      {standby.map(({ args }) => (
        <span key={args.nodeId as number}>
          , <Amount value={args.amountUsd6 as bigint} /> to <NodeLink id={args.nodeId as number} /> for standing by
        </span>
      ))}
      , <Amount value={refundUsd6} /> back to the payer
    </>
  );
}

/** Who waits for what, and what it cost whom in the end. */
function demandWords({ rows, head }: TaskModel, { id }: Stage): ReactNode {
  const demanded = demandOf(rows);
  if (demanded === undefined) return null;
  const { nodeId, amountUsd6, bondUsd6, answerableUntil, attested } = demanded;
  const keepers = `${attested} ${attested === 1 ? "keeper" : "keepers"}`;
  if (id === "demanded")
    return (
      <>
        The payer says that it cannot get the output. The bill of <Amount value={amountUsd6} /> and a bond of{" "}
        <Amount value={bondUsd6} /> wait in the contract.
      </>
    );
  if (id === "answer") {
    const leftS = head === undefined ? undefined : answerableUntil - Number(head.timestamp);
    return (
      <>
        {attested === 0 ? "No keeper" : keepers} said so far that it holds the output.{" "}
        {leftS === undefined || leftS > 0 ? "They have until " : "Their time ended at "}
        <Time at={answerableUntil} style="clock" />
        {leftS === undefined || leftS <= 0 ? "" : ` (${formatSeconds(leftS)})`}.
      </>
    );
  }
  if (id === "delivered")
    return (
      <>
        {keepers} {attested === 1 ? "holds" : "hold"} the output: <Amount value={amountUsd6} /> to{" "}
        <NodeLink id={nodeId} />, the payer&apos;s bond of <Amount value={bondUsd6} /> to the
        treasury.
      </>
    );
  return (
    <>
      Too few keepers held the output in time: the bill of <Amount value={amountUsd6} /> and the bond of{" "}
      <Amount value={bondUsd6} /> are the payer&apos;s again; <NodeLink id={nodeId} /> gets nothing.
    </>
  );
}

function returnedWords({ row }: Stage): ReactNode {
  if (row === undefined) return null;
  const { refundUsd6, reason } = row.args as { refundUsd6: bigint; reason?: number };
  const why =
    row.stage === "cancelled"
      ? "Taken back before it was assigned."
      : reason === 1
        ? "Every assigned node failed."
        : "Not finished in time.";
  return (
    <>
      {why} <Amount value={refundUsd6} /> went back to the payer&apos;s balance; nothing was billed.
    </>
  );
}

function Nodes({ ids }: { ids: readonly number[] }) {
  return ids.map((id, index) => (
    <span key={id}>
      {index === 0 ? "" : ", "}
      <NodeLink id={id} />
    </span>
  ));
}

function NodeLink({ id }: { id: number }) {
  return <Link href={`/nodes/${id}`}>node-{id}</Link>;
}

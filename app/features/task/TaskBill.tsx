"use client";
/** The bill with its numbers, and the recomputation that anyone can do from the chain alone. */
import { Card } from "../../components/Card.tsx";
import { Amount } from "../../components/Amount.tsx";
import { Formula } from "../../components/Formula.tsx";
import Link from "next/link";
import { TxLink } from "../../components/Hash.tsx";
import { Time } from "../../components/Time.tsx";
import { Skeleton } from "../../components/Skeleton.tsx";
import { useExpirableAt } from "../../hooks/useExpirableAt.ts";
import { formatInteger, formatSeconds } from "../../lib/format.ts";
import styles from "./TaskBill.module.css";
import { VerifyBill } from "./VerifyBill.tsx";
import type { TaskModel } from "./useTask.ts";

interface SettledArgs {
  nodeId: number;
  attempt: number;
  powerCu: number;
  durationMs: number;
  priceUsd6PerGcums: bigint;
  amountUsd6: bigint;
  standbyUsd6: bigint;
  refundUsd6: bigint;
}

export function TaskBill({ task }: { task: TaskModel }) {
  const settled = task.rows.find((row) => row.stage === "settled");
  const returned = task.rows.find((row) => row.stage === "refunded" || row.stage === "cancelled");
  const posted = task.rows.find((row) => row.stage === "posted");
  if (settled !== undefined) {
    const bill = settled.args as unknown as SettledArgs;
    const forfeited = task.rows.some((row) => row.stage === "forfeited");
    return (
      <Card
        title="Bill"
        note={
          <>
            Settled in <TxLink hash={settled.txHash} />
          </>
        }
      >
        <p className={styles.amount}>
          <Amount value={(forfeited ? 0n : bill.amountUsd6) + bill.standbyUsd6} size="hero" />
        </p>
        <Formula
          label="Bill"
          terms={[
            { value: `${formatInteger(bill.powerCu)} CU`, meaning: `power of node-${bill.nodeId}` },
            { sign: "×", value: `${formatInteger(bill.durationMs)} ms`, meaning: "measured" },
            { sign: "×", value: <Amount value={bill.priceUsd6PerGcums} />, meaning: "price when posted" },
            { sign: "÷", value: "10⁹", meaning: "rounded down" },
            {
              sign: "=",
              value: <Amount value={bill.amountUsd6} />,
              meaning: forfeited ? "billed, forfeited" : "billed",
            },
          ]}
        />
        <Standby task={task} amountUsd6={bill.amountUsd6} />
        {forfeited ? (
          <p className={styles.refund}>
            The bill of <Amount value={bill.amountUsd6} /> was forfeited: it is the payer&apos;s again, with the bond.
          </p>
        ) : null}
        <p className={styles.refund}>
          <Amount value={bill.refundUsd6} /> of the{" "}
          <Amount value={bill.amountUsd6 + bill.standbyUsd6 + bill.refundUsd6} /> that were locked went back to the
          payer&apos;s balance.
        </p>
        <VerifyBill taskId={task.taskId} />
      </Card>
    );
  }
  return (
    <Card title="Bill">
      {returned !== undefined ? (
        <p>
          Nothing was billed. <Amount value={returned.args.refundUsd6 as bigint} /> went back to the payer&apos;s
          balance.
        </p>
      ) : (
        <p className="soft">
          {task.unknown ? (
            "There is none: the chain does not know this task."
          ) : posted === undefined ? (
            <Skeleton width="16em" />
          ) : (
            <>
              At most <Amount value={posted.args.maxAmountUsd6 as bigint} />. The bill appears when the task is settled.
              <Return task={task} />
            </>
          )}
        </p>
      )}
    </Card>
  );
}

/** What each backup earned that held the input ready and was not needed. */
function Standby({ task, amountUsd6 }: { task: TaskModel; amountUsd6: bigint }) {
  const lines = task.rows.filter((row) => row.stage === "standbyPaid");
  if (lines.length === 0) return null;
  return (
    <ul className={styles.standby} aria-label="Standby">
      {lines.map(({ args }) => (
        <li key={args.nodeId as number}>
          <span>
            <Link href={`/nodes/${args.nodeId as number}`}>node-{args.nodeId as number}</Link> stood by: 10 % of{" "}
            <Amount value={amountUsd6} />, rounded down
          </span>
          <Amount value={args.amountUsd6 as bigint} />
        </li>
      ))}
    </ul>
  );
}

/** The contract's own date of return, counted down on chain time. */
function Return({ task }: { task: TaskModel }) {
  const { head } = task;
  const at = useExpirableAt(task);
  if (at === undefined || head === undefined) return null;
  const leftS = at - Number(head.timestamp);
  return (
    <>
      {" "}
      If nobody delivers, everything comes back {leftS > 0 ? `in ${formatSeconds(leftS)}, at ` : "now, due since "}
      <Time at={at} style="clock" />.
    </>
  );
}

"use client";
import { Amount } from "../../components/Amount.tsx";
import { Hash, TxLink } from "../../components/Hash.tsx";
import { Time } from "../../components/Time.tsx";
import { formatInteger, formatMs } from "../../lib/format.ts";
import type { SessionRow } from "../../lib/subgraph/sessionModel.ts";
import styles from "./SessionTerms.module.css";

export function SessionTerms({ session }: { session: SessionRow }) {
  const { feeBps, minReplicas, maxReplicas } = session;
  return (
    <dl className={styles.pairs}>
      <dt>Payer</dt>
      <dd>
        <Hash value={session.payer.id} label="payer" />
      </dd>
      {session.openedBy === session.payer.id ? null : (
        <>
          <dt>Opened by key</dt>
          <dd>
            <Hash value={session.openedBy} label="key that opened it" />
          </dd>
        </>
      )}
      <dt>Signer of vouchers</dt>
      <dd>
        <Hash value={session.signer} label="signer" />
      </dd>
      <dt>Price per 10⁹ CU·ms</dt>
      <dd>
        <Amount value={BigInt(session.priceUsd6PerGcums)} />
      </dd>
      <dt>Treasury fee</dt>
      <dd>{feeBps / 100} %, within the price</dd>
      <dt>At most</dt>
      <dd>
        <Amount value={BigInt(session.putInUsd6)} />
      </dd>
      <dt>Nodes</dt>
      <dd>{minReplicas === maxReplicas ? minReplicas : `${minReplicas} to ${maxReplicas}`}</dd>
      <dt>Wanted time to a result</dt>
      <dd>{formatMs(Number(session.slaMs))}</dd>
      <dt>Executions, standby lines</dt>
      <dd>
        {formatInteger(BigInt(session.executions))}, {formatInteger(BigInt(session.bills) - BigInt(session.executions))}
      </dd>
      <dt>Opened</dt>
      <dd>
        <Time at={BigInt(session.openedAt)} /> · <TxLink hash={session.openedTx} />
      </dd>
      <dt>Closes</dt>
      <dd>
        <Time at={BigInt(session.closesAt)} />
      </dd>
    </dl>
  );
}

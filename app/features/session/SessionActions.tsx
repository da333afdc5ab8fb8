"use client";
/** What may be done with a session now, and if not, why. Closing is the payer's; the way out is anyone's. */
import { sessionState } from "@ngpu/protocol/session/sessionStates";
import { sessionSettlementAbi } from "@ngpu/protocol/generated/abi/sessionSettlement";
import { isAddressEqual, type Address } from "viem";
import { Amount } from "../../components/Amount.tsx";
import { Card } from "../../components/Card.tsx";
import { SkeletonRows } from "../../components/Skeleton.tsx";
import { TxButton } from "../../components/TxButton.tsx";
import { useHead } from "../../hooks/useHead.ts";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import { useSettleWindow } from "../../hooks/useSettleWindow.ts";
import { contractCall } from "../../lib/contractCall.ts";
import { formatSeconds } from "../../lib/format.ts";
import { holdsAllotment, reclaimableAt } from "../../lib/session/laneReclaim.ts";
import { phaseWords, sessionPhase, settleUntilOf } from "../../lib/session/sessionPhase.ts";
import { whyNotClose, whyNotFinish, whyNotReclaim } from "../../lib/session/whyNot.ts";
import type { SessionRow } from "../../lib/subgraph/sessionModel.ts";
import { ReplaceSigner } from "./ReplaceSigner.tsx";
import styles from "./SessionActions.module.css";
import { TopUp } from "./TopUp.tsx";
import type { SessionOnChain } from "./useSessionOnChain.ts";

export function SessionActions(props: { session: SessionRow; onChain: SessionOnChain | undefined; account: Address }) {
  const { session, onChain, account } = props;
  const { deployment } = useRuntime();
  const head = useHead().data;
  const settleWindowS = useSettleWindow();
  if (onChain === undefined || head === undefined || settleWindowS === undefined) {
    return (
      <Card title="Actions">
        <SkeletonRows rows={4} />
      </Card>
    );
  }
  const nowS = head.timestamp;
  const status = onChain.state === sessionState.finished ? "Finished" : "Open";
  const times = { status, closesAt: onChain.closesAt, settleWindowS } as const;
  const phase = sessionPhase(times, nowS);
  const settleUntil = settleUntilOf(times);
  const isPayer = isAddressEqual(onChain.payer, account);
  const settlement = { address: deployment.sessionSettlement, abi: sessionSettlementAbi } as const;
  const lanes = onChain.lanes.filter(holdsAllotment);
  return (
    <Card title="Actions" note={phaseWords[phase].why}>
      <div className={styles.actions}>
        {phase === "open" ? (
          <>
            <TopUp sessionId={session.id} account={account} phase={phase} isPayer={isPayer} />
            <ReplaceSigner session={session} onChain={onChain} phase={phase} isPayer={isPayer} nowS={nowS} />
          </>
        ) : null}
        {phase === "finished" ? null : (
          <TxButton
            label="Close the session"
            quiet
            busy="Closing…"
            says={`It takes no more requests at once; its rest comes back after ${formatSeconds(Number(settleWindowS))}. Costs only gas.`}
            blocked={whyNotClose({ phase, isPayer })}
            call={() => contractCall({ ...settlement, functionName: "close", args: [session.id] })}
          />
        )}
        {lanes.map((lane) => (
          <TxButton
            key={lane.nodeId}
            label={`Reclaim the lane of node-${lane.nodeId}`}
            quiet
            busy="Reclaiming…"
            says={
              <>
                Frees <Amount value={lane.allotmentUsd6 - lane.paidUsd6} /> that it did not spend; costs only gas.
              </>
            }
            blocked={whyNotReclaim({ reclaimableAt: reclaimableAt(lane, { settleUntil, settleWindowS }), nowS })}
            call={() => contractCall({ ...settlement, functionName: "reclaimLane", args: [session.id, lane.nodeId] })}
          />
        ))}
        <TxButton
          label="Finish the session"
          busy="Finishing…"
          says={
            <>
              Returns <Amount value={onChain.freeUsd6} /> to the payer&apos;s balance; costs only gas.
            </>
          }
          blocked={whyNotFinish({ phase, settleUntil, lanesLeft: onChain.lanesLeft })}
          call={() => contractCall({ ...settlement, functionName: "finish", args: [session.id] })}
        />
      </div>
    </Card>
  );
}

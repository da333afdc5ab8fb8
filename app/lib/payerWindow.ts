/** Where a settled task stands in its payer's window, on chain time. Pure. */
import { argsOf, type TimelineRow } from "@ngpu/client/chainTimeline";

export type WindowState =
  /** The payer may demand the output for `leftS` more seconds, until `untilS`. */
  | { kind: "open"; untilS: number; leftS: number }
  | { kind: "over"; untilS: number }
  /** Keepers may answer for `leftS` more seconds, until `untilS`; at 0 anyone may close the demand. */
  | { kind: "demanded"; untilS: number; leftS: number; attested: number; amountUsd6: bigint; bondUsd6: bigint }
  | { kind: "delivered"; attested: number; amountUsd6: bigint; bondUsd6: bigint }
  | { kind: "forfeited"; amountUsd6: bigint; bondUsd6: bigint };

/** undefined for a task that is not settled. */
export function windowState(request: {
  rows: readonly TimelineRow[];
  payerWindowS: number;
  nowS: bigint;
}): WindowState | undefined {
  const { rows, payerWindowS, nowS } = request;
  const settled = rows.find(({ stage }) => stage === "settled");
  if (settled === undefined) return undefined;
  const demanded = demandOf(rows);
  if (demanded !== undefined) {
    const { amountUsd6, bondUsd6, answerableUntil, attested } = demanded;
    if (rows.some(({ stage }) => stage === "forfeited")) return { kind: "forfeited", amountUsd6, bondUsd6 };
    if (rows.some(({ stage }) => stage === "delivered")) return { kind: "delivered", attested, amountUsd6, bondUsd6 };
    const leftS = Math.max(0, answerableUntil - Number(nowS));
    return { kind: "demanded", untilS: answerableUntil, leftS, attested, amountUsd6, bondUsd6 };
  }
  const untilS = Number(settled.timestamp) + payerWindowS;
  const leftS = untilS - Number(nowS);
  return leftS > 0 ? { kind: "open", untilS, leftS } : { kind: "over", untilS };
}

/** A payer's demand, and how many keepers have answered it; undefined where there was none. */
export function demandOf(rows: readonly TimelineRow[]): (DemandedArgs & { attested: number }) | undefined {
  const demanded = argsOf<DemandedArgs>(rows, "demanded");
  return demanded && { ...demanded, attested: rows.filter(({ stage }) => stage === "attested").length };
}

interface DemandedArgs {
  nodeId: number;
  amountUsd6: bigint;
  bondUsd6: bigint;
  answerableUntil: number;
}

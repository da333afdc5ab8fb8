/**
 * Where a session stands by the clock: it closes and ends its settle window without saying so, and is finished by a
 * transaction.
 */
import type { Tone } from "../../components/Status.tsx";
import type { ValueOf } from "../enumWords.ts";

/** open ─(closesAt)→ settling ─(settleUntil)→ over ─finish→ finished */
export type SessionPhase = "open" | "settling" | "over" | "finished";

export interface SessionTimes {
  status: ValueOf<"SessionStatus">;
  closesAt: bigint;
  /** The contract's seconds between the end of a session and the return of its money. */
  settleWindowS: bigint;
}

export function settleUntilOf({ closesAt, settleWindowS }: SessionTimes): bigint {
  return closesAt + settleWindowS;
}

export function sessionPhase(session: SessionTimes, nowS: bigint): SessionPhase {
  if (session.status === "Finished") return "finished";
  if (nowS < session.closesAt) return "open";
  return nowS < settleUntilOf(session) ? "settling" : "over";
}

export const phaseWords: Record<SessionPhase, { tone: Tone; word: string; why: string }> = {
  open: { tone: "working", word: "Open", why: "It takes requests, lanes and top-ups." },
  settling: { tone: "reversible", word: "Settling", why: "It takes no more requests; vouchers may still be settled." },
  over: { tone: "waiting", word: "To be finished", why: "No voucher counts any more; its rest can be returned." },
  finished: { tone: "final", word: "Finished", why: "Its rest went back to the payer." },
};

"use client";
/** A session's state by chain time. */
import { Skeleton } from "../../components/Skeleton.tsx";
import { Status } from "../../components/Status.tsx";
import { useHead } from "../../hooks/useHead.ts";
import { useSettleWindow } from "../../hooks/useSettleWindow.ts";
import { phaseWords, sessionPhase, type SessionPhase } from "../../lib/session/sessionPhase.ts";
import type { SessionRow } from "../../lib/subgraph/sessionModel.ts";

export function SessionPhaseStatus({ session }: { session: Pick<SessionRow, "status" | "closesAt"> }) {
  const phase = useSessionPhase(session);
  if (phase === undefined) return <Skeleton width="5em" />;
  const { tone, word } = phaseWords[phase];
  return <Status tone={tone}>{word}</Status>;
}

/** undefined until time and settle window are known. */
export function useSessionPhase(
  session: Pick<SessionRow, "status" | "closesAt"> | undefined,
): SessionPhase | undefined {
  const head = useHead().data;
  const settleWindowS = useSettleWindow();
  if (session === undefined || head === undefined || settleWindowS === undefined) return undefined;
  return sessionPhase({ ...session, closesAt: BigInt(session.closesAt), settleWindowS }, head.timestamp);
}

"use client";
/** Recomputes one bill of a session in this browser from the vouchers that the chain settled, and shows every step. */
import { sessionSettlementAbi } from "@ngpu/protocol/generated/abi/sessionSettlement";
import { useQuery } from "@tanstack/react-query";
import { Banner } from "../../components/Banner.tsx";
import { CheckSteps } from "../../components/CheckSteps.tsx";
import { SkeletonRows } from "../../components/Skeleton.tsx";
import { useChain } from "../../hooks/useChain.ts";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import { explainError } from "../../lib/explainError.ts";
import { checkSessionBill } from "../../lib/session/checkSessionBill.ts";
import type { SessionBillRow, SessionRow } from "../../lib/subgraph/sessionModel.ts";

export function VerifySessionBill({ session, bill }: { session: SessionRow; bill: SessionBillRow }) {
  const { deployment, chainId } = useRuntime();
  const chain = useChain();
  const { data, error } = useQuery({
    queryKey: ["sessionBillCheck", chainId, bill.id, bill.tx],
    queryFn: async () => {
      const settlement = { address: deployment.sessionSettlement, abi: sessionSettlementAbi } as const;
      const lane = { sessionId: session.id, nodeId: Number(bill.node.id) };
      const [events, { terms }, { money }] = await Promise.all([
        chain.getContractEvents({
          ...settlement,
          eventName: "BillsSettled",
          args: lane,
          strict: true,
          fromBlock: BigInt(session.openedBlock),
          toBlock: BigInt(bill.block),
        }),
        chain.readContract({ ...settlement, functionName: "session", args: [lane.sessionId] }),
        chain.readContract({ ...settlement, functionName: "lane", args: [lane.sessionId, lane.nodeId] }),
      ]);
      return checkSessionBill({
        lane,
        bill: {
          id: bill.id,
          kind: bill.kind,
          seq: BigInt(bill.seq),
          durationMs: BigInt(bill.durationMs),
          powerCu: BigInt(bill.powerCu),
          priceUsd6PerGcums: BigInt(bill.priceUsd6PerGcums),
          amountUsd6: BigInt(bill.amountUsd6),
        },
        vouchers: events.map(({ args }) => args),
        frozen: { priceUsd6PerGcums: terms.priceUsd6PerGcums, powerCu: money.powerCu },
      });
    },
    retry: 1,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error !== null) {
    const { title, text, tone } = explainError(error, { asked: true });
    return (
      <Banner tone={tone} title={title}>
        {text}
      </Banner>
    );
  }
  return data === undefined ? <SkeletonRows rows={6} /> : <CheckSteps check={data} />;
}

"use client";
/** The rules of a demand for an output, fixed when the contract was deployed, and the bond for this bill. */
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { useQuery } from "@tanstack/react-query";
import { useChain } from "../../hooks/useChain.ts";
import { useRuntime } from "../../hooks/useRuntime.tsx";

export interface PayerWindow {
  /** Seconds after the settlement within which the payer may demand the output. */
  payerWindowS: number;
  /** Seconds after a demand within which keepers may say that they hold it. */
  answerWindowS: number;
  /** Keepers that must say so. */
  quorum: number;
  bondUsd6: bigint;
}

export function usePayerWindow(amountUsd6: bigint): PayerWindow | undefined {
  const { deployment } = useRuntime();
  const chain = useChain();
  const escrow = { address: deployment.taskEscrow, abi: taskEscrowAbi } as const;
  const answer = useQuery({
    queryKey: ["payerWindow", deployment.taskEscrow, String(amountUsd6)],
    queryFn: async (): Promise<PayerWindow> => {
      const [payerWindowS, answerWindowS, quorum, bondUsd6] = await Promise.all([
        chain.readContract({ ...escrow, functionName: "payerWindow" }),
        chain.readContract({ ...escrow, functionName: "answerWindow" }),
        chain.readContract({ ...escrow, functionName: "quorum" }),
        chain.readContract({ ...escrow, functionName: "demandBondOf", args: [amountUsd6] }),
      ]);
      return { payerWindowS, answerWindowS, quorum, bondUsd6 };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  return answer.data;
}

"use client";
/**
 * One transaction behind one button: connect, switch, whatever must be signed before, then the call itself, and what
 * became of it.
 */
import { useState, type ReactNode } from "react";
import type { Hash, TransactionReceipt } from "viem";
import { useGateSteps } from "../hooks/useGateSteps.ts";
import { useHead } from "../hooks/useHead.ts";
import { useTransact } from "../hooks/useTransact.ts";
import type { ContractCall } from "../lib/contractCall.ts";
import { StepButton, type Step } from "./StepButton.tsx";
import { TxOutcome } from "./TxOutcome.tsx";

export function TxButton(props: {
  label: string;
  busy?: string;
  blocked?: string | undefined;
  /** What it will do and cost, shown before anything is signed. */
  says?: ReactNode;
  /** Steps between the gate and the call, a permit for instance. */
  before?: readonly Step[];
  call: () => ContractCall | Promise<ContractCall>;
  onMined?: (receipt: TransactionReceipt) => void;
  onRefused?: (error: unknown) => void;
  quiet?: boolean;
}) {
  const { label, busy, blocked, says, before = [], call, onMined, onRefused, quiet = false } = props;
  const gate = useGateSteps();
  const transact = useTransact();
  const genesis = useHead().data?.genesis;
  const [outcome, setOutcome] = useState<{ receipt: TransactionReceipt; genesis: Hash | undefined } | undefined>();
  const send: Step = {
    id: "send",
    label,
    done: false,
    ...(busy === undefined ? {} : { busy }),
    ...(blocked === undefined ? {} : { blocked }),
    run: async ({ sent }) => {
      setOutcome(undefined);
      try {
        const receipt = await transact({ call: await call(), onSent: sent });
        setOutcome({ receipt, genesis });
        onMined?.(receipt);
      } catch (error) {
        onRefused?.(error);
        throw error;
      }
    },
  };
  return (
    <StepButton steps={[...gate, ...before, send]} wide={false} quiet={quiet} says={says}>
      {outcome === undefined || outcome.genesis !== genesis ? null : <TxOutcome receipt={outcome.receipt} />}
    </StepButton>
  );
}

"use client";
/**
 * One transaction behind one button: connect, switch, whatever must be signed before, then the call itself, and what
 * became of it.
 */
import { useState, type ReactNode } from "react";
import type { TransactionReceipt } from "viem";
import { useGateSteps } from "../hooks/useGateSteps.ts";
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
  quiet?: boolean;
}) {
  const { label, busy, blocked, says, before = [], call, onMined, quiet = false } = props;
  const gate = useGateSteps();
  const transact = useTransact();
  const [receipt, setReceipt] = useState<TransactionReceipt | undefined>(undefined);
  const send: Step = {
    id: "send",
    label,
    done: false,
    ...(busy === undefined ? {} : { busy }),
    ...(blocked === undefined ? {} : { blocked }),
    run: async ({ sent }) => {
      setReceipt(undefined);
      const mined = await transact({ call: await call(), onSent: sent });
      setReceipt(mined);
      onMined?.(mined);
    },
  };
  return (
    <StepButton steps={[...gate, ...before, send]} wide={false} quiet={quiet} says={says}>
      {receipt === undefined ? null : <TxOutcome receipt={receipt} />}
    </StepButton>
  );
}

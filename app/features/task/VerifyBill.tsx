"use client";
/** Recomputes one bill in this browser from the chain's events and shows every step. */
import type { BillCheck } from "@ngpu/client/verifyBill";
import { useCallback, useEffect, useState } from "react";
import type { Hex } from "viem";
import { Banner } from "../../components/Banner.tsx";
import { Button } from "../../components/Button.tsx";
import { CheckSteps } from "../../components/CheckSteps.tsx";
import { useChain } from "../../hooks/useChain.ts";
import { useRuntime } from "../../hooks/useRuntime.tsx";
import { explainError, type Explanation } from "../../lib/explainError.ts";
import styles from "./VerifyBill.module.css";

export function VerifyBill({ taskId, atOnce = false }: { taskId: Hex; atOnce?: boolean }) {
  const { deployment } = useRuntime();
  const chain = useChain();
  const [check, setCheck] = useState<BillCheck | undefined>(undefined);
  const [problem, setProblem] = useState<Explanation | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const verify = useCallback(async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      const { verifyBill } = await import("@ngpu/client/verifyBill");
      setCheck(await verifyBill({ chain, deployment, taskId }));
    } catch (error) {
      setProblem(explainError(error));
    } finally {
      setBusy(false);
    }
  }, [chain, deployment, taskId]);
  useEffect(() => {
    if (atOnce) void verify();
  }, [atOnce, verify]);
  return (
    <div className={styles.verify}>
      {check === undefined ? (
        <Button busy={busy} disabled={busy} onClick={() => void verify()}>
          {busy ? "Verifying…" : "Verify"}
        </Button>
      ) : (
        <CheckSteps check={check} />
      )}
      {problem === undefined ? null : (
        <Banner tone={problem.tone} title={problem.title}>
          {problem.text}
        </Banner>
      )}
    </div>
  );
}

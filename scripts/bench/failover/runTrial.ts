/**
 * One task whose primary meets a fault while it executes, from post to bill, and what the client and the chain saw of
 * it. Resolves undefined when the fault did not hit an executing primary: it was done, or suspected, before.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { NgpuError } from "@ngpu/protocol/errors";
import { runSampleTask, type SampleOutcome } from "../../stack/sampleTask.ts";
import type { StackNode } from "../../stack/stack.ts";
import { StackError } from "../../stack/stackError.ts";
import { isOnlyBill, readBooks } from "./books.ts";
import type { GatewayFront } from "./gatewayFront.ts";
import { injectFault, type Fault, type FaultKind } from "./injectFault.ts";
import { refusalOfLateReceipt } from "./lateReceipt.ts";
import { payer, trialTimeoutMs, type Trial, type TrialOptions } from "./trial.ts";

export async function runTrial(
  options: TrialOptions & { kind: FaultKind; dataDir: string; front: GatewayFront },
): Promise<Trial | undefined> {
  const { kind, images, delayMs, stack, dataDir, front, chain, signal } = options;
  const parties = { chain, stack, payer: payer.address };
  const before = await readBooks(parties);
  let primary: StackNode | undefined;
  let faultMs: number | undefined;
  let faultAtMs = Number.NaN;
  let addedMs: number | undefined;
  let resultMs: number | undefined;
  let fault: Fault | undefined;
  let faulting: Promise<void> | undefined;
  let reviving: Promise<void> | undefined;
  let wasSuspected = false;

  const strike = async (nodeId: number): Promise<void> => {
    primary = stack.nodes.find((node) => node.nodeId === nodeId);
    if (!primary) throw new StackError(`No agent of this network serves node ${nodeId}.`);
    await sleep(delayMs);
    faultAtMs = Date.now();
    faultMs = performance.now();
    fault = injectFault({ kind, node: primary, stack, front });
  };
  const tookOver = (): void => {
    if (faultMs === undefined) wasSuspected = true;
    else addedMs ??= performance.now() - faultMs;
    // A killed agent may come back at once; one that only paused would finish its run and be paid for it.
    if (kind === "kill9") reviving ??= fault?.revive();
  };

  let outcome: SampleOutcome | undefined;
  try {
    outcome = await runSampleTask({
      urls: stack.urls,
      payer,
      images,
      signal: AbortSignal.any([signal, AbortSignal.timeout(trialTimeoutMs)]),
      onEvent: (event) => {
        if (event.kind === "progress" && event.attempt === 0) faulting ??= strike(event.nodeId);
        if (event.kind === "progress" && event.attempt > 0) tookOver();
        if (event.kind === "result" && faultMs !== undefined) resultMs = performance.now() - faultMs;
      },
    });
  } catch (error) {
    if (!(error instanceof NgpuError)) throw error;
  } finally {
    await faulting;
    await (reviving ?? fault?.revive());
  }
  if (wasSuspected) return undefined;
  if (!outcome || !primary) return { addedMs, resultMs, lost: true, paidTwice: false };

  const { bill, receipt, taskId } = outcome;
  const { startMs, durationMs } = receipt.message;
  const isPrimarys = bill.nodeId === primary.nodeId;
  if (isPrimarys && Number(startMs) + durationMs <= faultAtMs) return undefined;
  const refusal = await refusalOfLateReceipt({ chain, dataDir, primary, paid: receipt, sender: payer.address });
  const isOnly = await isOnlyBill({ ...parties, before, taskId, bill });
  return {
    addedMs,
    resultMs,
    lost: isPrimarys || receipt.message.nodeId !== bill.nodeId,
    paidTwice: !isOnly || refusal !== "TaskWrongStatus",
  };
}

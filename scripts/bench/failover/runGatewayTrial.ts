/**
 * One task during whose execution the gateway is killed with -9 and started again at once. Whoever delivers is paid; it
 * need not be the backup. Resolves undefined when the task was done before the gateway ended.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { NgpuError } from "@ngpu/protocol/errors";
import { runSampleTask, type SampleOutcome } from "../../stack/sampleTask.ts";
import { isOnlyBill, readBooks } from "./books.ts";
import { payer, trialTimeoutMs, type Trial, type TrialOptions } from "./trial.ts";

export async function runGatewayTrial(options: TrialOptions): Promise<Trial | undefined> {
  const { images, delayMs, stack, chain, signal } = options;
  const parties = { chain, stack, payer: payer.address };
  const before = await readBooks(parties);
  let faultMs: number | undefined;
  let addedMs: number | undefined;
  let resultMs: number | undefined;
  let faulting: Promise<void> | undefined;
  let isLinkLost = false;

  const strike = async (): Promise<void> => {
    await sleep(delayMs);
    faultMs = performance.now();
    await stack.kill("gateway");
    await stack.restart("gateway");
  };
  const goesOn = (): void => {
    // What was on its way before the end is no sign of a new beginning.
    if (isLinkLost && faultMs !== undefined) addedMs ??= performance.now() - faultMs;
  };

  let outcome: SampleOutcome | undefined;
  try {
    outcome = await runSampleTask({
      urls: stack.urls,
      payer,
      images,
      signal: AbortSignal.any([signal, AbortSignal.timeout(trialTimeoutMs)]),
      onEvent: (event) => {
        if (event.kind === "connection" && event.state === "lost") isLinkLost ||= faultMs !== undefined;
        if (event.kind === "progress" || event.kind === "receipt") goesOn();
        if (event.kind === "progress") faulting ??= strike();
        if (event.kind === "result" && faultMs !== undefined) resultMs = performance.now() - faultMs;
      },
    });
  } catch (error) {
    if (!(error instanceof NgpuError)) throw error;
  } finally {
    await faulting;
  }
  if (!outcome) return { addedMs, resultMs, lost: true, paidTwice: false };
  if (addedMs === undefined) return undefined;
  const { bill, receipt, taskId } = outcome;
  return {
    addedMs,
    resultMs,
    lost: receipt.message.nodeId !== bill.nodeId,
    paidTwice: !(await isOnlyBill({ ...parties, before, taskId, bill })),
  };
}

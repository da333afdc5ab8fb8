/**
 * `npm run bench:line -- --json`: how long the whole line takes. From the command to the first billed task, and from a
 * mined bill to its appearance in the subgraph and on the billing page. Prints one object of the shape that every
 * benchmark prints.
 */
import { cpus } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { isSettled } from "@ngpu/protocol/taskStatus";
import { deployments } from "@ngpu/protocol/generated/deployments";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import type { Hex } from "viem";
import { localAccounts } from "../stack/accounts.ts";
import { billInSubgraph } from "../stack/billInSubgraph.ts";
import { localClient } from "../stack/chain.ts";
import { freePorts } from "../stack/ports.ts";
import { startBuilds } from "../stack/prepare.ts";
import { createProgress } from "../stack/progress.ts";
import { runSampleTask } from "../stack/sampleTask.ts";
import type { Stack } from "../stack/stack.ts";
import { StackError } from "../stack/stackError.ts";
import { temporaryFolder } from "../stack/temporaryFolder.ts";
import { withStack } from "../stack/withStack.ts";
import { openBillingPage, type BillingPage } from "./bench/billingPage.ts";
import { runTarget } from "./runTarget.ts";
import { requireChromium } from "./testing/chromium.ts";

interface Row {
  name: string;
  value: number;
  unit: string;
  min: number;
  max: number;
  n: number;
}

const tasks = 12;
const timeoutMs = 60_000;
const pollMs = 10;

const progress = createProgress();
const startedMs = Number(process.env.NGPU_STARTED_MS ?? Date.now());

await runTarget(async () => {
  const chromium = await requireChromium(progress);
  const parts = { dapp: true, subgraph: true };
  const session = {
    dataDir: temporaryFolder("bench"),
    temporary: true,
    ports: await freePorts(),
    agents: 3,
    ...parts,
    progress,
    builds: () => startBuilds({ ...parts, progress }),
  };
  const rows = await withStack(session, async (stack, signal) => {
    const payer = localAccounts.payer.account;
    await progress.step("first task, billed", () => runSampleTask({ urls: stack.urls, payer, images: 1, signal }));
    const firstBilledS = (Date.now() - startedMs) / 1_000;

    const page = await openBillingPage({ chromium, dappUrl: stack.urls.dapp ?? "", rpcUrl: stack.urls.rpc, payer });
    try {
      const toSubgraphMs: number[] = [];
      const toPageMs: number[] = [];
      await progress.step(`${tasks} tasks, each until its bill is on the page`, async () => {
        for (let index = 0; index < tasks; index++) {
          const { minedMs, indexedMs, shownMs } = await measureOne({ stack, page, offset: index, signal });
          toSubgraphMs.push(indexedMs - minedMs);
          toPageMs.push(shownMs - minedMs);
        }
      });
      return [
        row("first_billed_task_s", "s", [firstBilledS]),
        row("mined_to_subgraph_ms", "ms", toSubgraphMs),
        row("mined_to_billing_page_ms", "ms", toPageMs),
      ];
    } finally {
      await page.close();
    }
  });
  print(rows);
});

/** Runs one task; the three moments are watched for by three independent pollers while it runs. */
async function measureOne(options: { stack: Stack; page: BillingPage; offset: number; signal: AbortSignal }) {
  const { stack, page, offset, signal } = options;
  const { urls } = stack;
  let watching: Promise<{ minedMs: number; indexedMs: number; shownMs: number }> | undefined;
  const watch = async (taskId: Hex) => {
    const [minedMs, indexedMs, shownMs] = await Promise.all([
      untilSettled(urls.rpc, taskId).then(() => Date.now()),
      billInSubgraph({ subgraphUrl: urls.subgraph ?? "", taskId, timeoutMs }).then(() => Date.now()),
      page.untilShown({ taskId, timeoutMs }).then(() => Date.now()),
    ]);
    return { minedMs, indexedMs, shownMs };
  };
  await runSampleTask({
    urls,
    payer: localAccounts.payer.account,
    images: 1,
    offset,
    signal,
    onPosted: (taskId) => (watching = watch(taskId)),
  });
  if (!watching) throw new StackError("The task was never posted.");
  return watching;
}

async function untilSettled(rpcUrl: string, taskId: Hex): Promise<void> {
  const chain = localClient(rpcUrl);
  const escrow = { address: deployments[31337].taskEscrow, abi: taskEscrowAbi } as const;
  const deadline = performance.now() + timeoutMs;
  while (!isSettled((await chain.readContract({ ...escrow, functionName: "stateOf", args: [taskId] })).status)) {
    if (performance.now() > deadline) throw new StackError(`${taskId} was not settled within ${timeoutMs / 1_000} s.`);
    await sleep(pollMs);
  }
}

function row(name: string, unit: string, values: number[]): Row {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
  return { name, value, unit, min: sorted[0] ?? value, max: sorted.at(-1) ?? value, n: sorted.length };
}

function print(rows: Row[]): void {
  const [cpu] = cpus();
  const machine = { cpu: cpu?.model ?? "unknown", cores: cpus().length, node: process.version };
  if (process.argv.includes("--json")) {
    process.stdout.write(`${JSON.stringify({ bench: "line", machine, rows })}\n`);
    return;
  }
  for (const { name, value, unit, min, max, n } of rows) {
    process.stdout.write(
      `${name.padEnd(28)} p50 ${value.toFixed(1)} ${unit}   min ${min.toFixed(1)}   max ${max.toFixed(1)}   n ${n}\n`,
    );
  }
}

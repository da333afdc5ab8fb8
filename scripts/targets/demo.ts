/**
 * `npm run demo -- --json`: one task from post to indexed bill on a network of its own, without a browser. Prints one
 * JSON object on stdout (everything else on stderr) and succeeds only if chain and subgraph say the same.
 */
import { readTaskTimeline } from "@ngpu/client/chainTimeline";
import { verifyBill } from "@ngpu/client/verifyBill";
import { deploymentOf } from "@ngpu/protocol/deployment";
import type { PublicClient } from "viem";
import { localAccounts } from "../stack/accounts.ts";
import { billInSubgraph } from "../stack/billInSubgraph.ts";
import { localClient } from "../stack/chain.ts";
import { demoNetwork } from "../stack/demoNetwork.ts";
import { formatUsd6 } from "../stack/formatUsd6.ts";
import { createProgress } from "../stack/progress.ts";
import { runSampleTask, textModel, type SampleOutcome } from "../stack/sampleTask.ts";
import type { Stack } from "../stack/stack.ts";
import { StackError } from "../stack/stackError.ts";
import { withStack } from "../stack/withStack.ts";
import { runTarget } from "./runTarget.ts";

const images = 2;
const indexTimeoutMs = 30_000;

const progress = createProgress();
const asJson = process.argv.includes("--json");
const startedMs = Number(process.env.NGPU_STARTED_MS ?? Date.now());

await runTarget(async () => {
  const { network, preparedMs } = await demoNetwork({ name: "demo", progress });
  const report = await withStack(network, async (stack, signal) => {
    const upMs = Date.now();
    const payer = localAccounts.payer.account;
    const outcome = await progress.step(`task of ${images} pictures, paid and billed`, () =>
      runSampleTask({ urls: stack.urls, payer, images, signal, evenIfUnserved: false }),
    );
    return describe({ stack, outcome, preparedMs: preparedMs(), upMs });
  });
  if (asJson) process.stdout.write(`${JSON.stringify(report)}\n`);
  else process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  if (!report.ok) throw new StackError("Chain and subgraph do not say the same about this bill.");
});

async function describe(run: { stack: Stack; outcome: SampleOutcome; preparedMs: number; upMs: number }) {
  const { stack, outcome, preparedMs, upMs } = run;
  const { taskId, bill, quote, moments, receipt } = outcome;
  const chain = localClient(stack.urls.rpc) as PublicClient;
  const { taskEscrow, deploymentBlock } = deploymentOf(31_337);
  const request = { chain, deployment: { taskEscrow, deploymentBlock: BigInt(deploymentBlock) }, taskId };
  const indexed = await billInSubgraph({ subgraphUrl: stack.urls.subgraph ?? "", taskId, timeoutMs: indexTimeoutMs });
  const indexedMs = Date.now();
  const { ok: verified } = await verifyBill(request);

  const gasOf = new Map<string, number>();
  for (const { stage, txHash } of await readTaskTimeline(request)) {
    const { gasUsed } = await chain.getTransactionReceipt({ hash: txHash });
    gasOf.set(stage, (gasOf.get(stage) ?? 0) + Number(gasUsed));
  }
  const gas = {
    post: gasOf.get("posted") ?? 0,
    assign: gasOf.get("assigned") ?? 0,
    accept: gasOf.get("accepted") ?? 0,
    settle: gasOf.get("settled") ?? 0,
  };
  const { amountUsd6, standbyUsd6, refundUsd6, txHash } = bill;
  const same =
    indexed.amountUsd6 === amountUsd6 &&
    indexed.standbyUsd6 === standbyUsd6 &&
    indexed.refundUsd6 === refundUsd6 &&
    indexed.txHash === txHash;
  return {
    ok: same && verified,
    task: {
      id: taskId,
      model: textModel().manifest.name,
      images,
      maxUsd: formatUsd6(quote.maxAmountUsd6),
      workCums: String(quote.workCums),
      result: outcome.json,
    },
    receipt: {
      nodeId: receipt.message.nodeId,
      assignment: receipt.message.assignment,
      attempt: receipt.message.attempt,
      powerCu: receipt.message.powerCu,
      durationMs: receipt.message.durationMs,
      signature: receipt.signature,
    },
    bill: {
      // All that the task cost: what its node is paid, and what its backup is paid for having stood by.
      chain: formatUsd6(amountUsd6 + standbyUsd6),
      subgraph: formatUsd6(indexed.amountUsd6 + indexed.standbyUsd6),
      amount: formatUsd6(amountUsd6),
      standby: formatUsd6(standbyUsd6),
      refund: formatUsd6(refundUsd6),
      verified,
    },
    // How many of the payer's requests for input and output the coded transport carried, and how many HTTP.
    blobs: outcome.blobs,
    // Whether payer and node were linked straight to each other, and whether that carried input and output first.
    direct: outcome.direct,
    gas: { ...gas, total: gas.post + gas.assign + gas.accept + gas.settle },
    seconds: {
      install: seconds(startedMs, preparedMs),
      up: seconds(preparedMs, upMs),
      post: seconds(moments.calledMs, moments.postedMs),
      assign: seconds(moments.postedMs, moments.assignedMs),
      execute: seconds(moments.assignedMs, moments.receiptMs),
      settle: seconds(moments.receiptMs, moments.settledMs),
      index: seconds(moments.settledMs, indexedMs),
      total: seconds(startedMs, indexedMs),
    },
  };
}

function seconds(fromMs: number, toMs: number): number {
  return Math.round(toMs - fromMs) / 1_000;
}

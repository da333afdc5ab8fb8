/**
 * `npm run demo:session -- --json`: a session of 1,000 real tasks over two agents on a network of its own, from its
 * opening to the index of every bill. Some requests are asked of both agents at once, to show that each is paid once.
 * Prints one JSON object on stdout (everything else on stderr) and succeeds only if chain and subgraph say the same.
 */
import { join } from "node:path";
import type { SessionEvent, SessionResult } from "@ngpu/client/session/session";
import type { Session, SessionClosing } from "@ngpu/client/session/resumeSession";
import type { CodedBlobs } from "@ngpu/protocol/blobExchange/codedBlobs";
import { createNodeBlobs } from "@ngpu/protocol/service/harq/nodeBlobs";
import type { Hex, PublicClient } from "viem";
import { generatePrivateKey } from "viem/accounts";
import { hardhat } from "viem/chains";
import { localAccounts } from "../stack/accounts.ts";
import { localClient } from "../stack/chain.ts";
import { localDeployment } from "../stack/sampleTask.ts";
import { demoNetwork } from "../stack/demoNetwork.ts";
import { formatUsd6 } from "../stack/formatUsd6.ts";
import { createProgress } from "../stack/progress.ts";
import { faceModel, openSampleSession, smallPhotos, wholePhotos } from "../stack/sampleSession.ts";
import { untilSessionBilled } from "../stack/sessionBill.ts";
import { sessionInSubgraph } from "../stack/sessionInSubgraph.ts";
import type { Stack } from "../stack/stack.ts";
import { StackError } from "../stack/stackError.ts";
import { withStack } from "../stack/withStack.ts";
import { runTarget } from "./runTarget.ts";

const tasks = 1_000;
/** So many of them are asked of both agents at once. */
const askedTwice = 20;
/** So many are whole photographs, too large for a frame, and go over a coded link. */
const large = 20;
const settleTimeoutMs = 30_000;
const indexTimeoutMs = 60_000;

const progress = createProgress();
const startedMs = Number(process.env.NGPU_STARTED_MS ?? Date.now());

await runTarget(async () => {
  const { network, preparedMs } = await demoNetwork({ name: "demo-session", progress });
  const report = await withStack(network, (stack) => runAll({ stack, dataDir: network.dataDir, preparedMs }));
  process.stdout.write(`${JSON.stringify(report, null, process.argv.includes("--json") ? 0 : 2)}\n`);
  if (!report.ok) throw new StackError("Chain and subgraph do not say the same about this session.");
});

async function runAll({ stack, dataDir, preparedMs }: { stack: Stack; dataDir: string; preparedMs: () => number }) {
  const upMs = Date.now();
  const events: SessionEvent[] = [];
  const photos = await progress.step(`${tasks - large} small photographs and ${large} whole ones`, () => smallPhotos(tasks - large));
  const photosMs = Date.now();
  const requests = [...photos, ...wholePhotos(large)];
  const context = { chainId: hardhat.id, verifyingContract: localDeployment().taskEscrow };
  const blobs = createNodeBlobs({ context });
  const session = await progress.step("session opened, two lanes assigned and ready", () =>
    openSampleSession({
      urls: stack.urls,
      payer: localAccounts.payer.account,
      signerKey: generatePrivateKey(),
      dataDir: join(dataDir, "client"),
      coded: blobs,
      onEvent: (event) => events.push(event),
    }),
  );
  const openMs = Date.now();
  const results = await progress.step(`${tasks} tasks answered, checked and opened`, () =>
    Promise.all(requests.map((photo, index) => session.run({ ...photo, copies: index < askedTwice ? 2 : 1 }))),
  );
  const runMs = Date.now();
  const closing = await progress.step("everything signed, session closed", () => session.close());
  const closedMs = Date.now();
  const carried = blobs.counts();
  blobs.close();
  const outcome = { stack, session, results, closing, events, carried };
  const marks = { startedMs, preparedMs: preparedMs(), upMs, photosMs, openMs, runMs, closedMs };
  return describe(outcome, marks);
}

type Marks = Record<"startedMs" | "preparedMs" | "upMs" | "photosMs" | "openMs" | "runMs" | "closedMs", number>;

async function describe(
  run: {
    stack: Stack;
    session: Session & { openTx: Hex };
    results: SessionResult[];
    closing: SessionClosing;
    events: SessionEvent[];
    carried: ReturnType<CodedBlobs["counts"]>;
  },
  marks: Marks,
) {
  const { stack, session, results, closing, events, carried } = run;
  const { sessionId, openTx } = session;
  const chain = localClient(stack.urls.rpc) as PublicClient;
  const records = closing.lanes.reduce((sum, { nextSeq }) => sum + Number(nextSeq) - 1, 0);
  const bill = await progress.step("settled in one batch", () =>
    untilSessionBilled({ chain, sessionId, records, timeoutMs: settleTimeoutMs }),
  );
  const settledMs = Date.now();
  const indexed = await progress.step("every bill in the subgraph", () =>
    sessionInSubgraph({ subgraphUrl: stack.urls.subgraph ?? "", sessionId, bills: records, timeoutMs: indexTimeoutMs }),
  );
  const indexedMs = Date.now();
  const summedUsd6 = indexed.records.reduce((sum, { amountUsd6 }) => sum + amountUsd6, 0n);
  const executed = indexed.records.filter(({ kind }) => kind === "Execution");
  const refused = events.filter((event) => event.kind === "refused" && event.code === "REQUEST_PAID").length;
  const same =
    closing.signedUsd6 === bill.amountUsd6 &&
    indexed.billedUsd6 === bill.amountUsd6 &&
    summedUsd6 === bill.amountUsd6 &&
    indexed.paidUsd6 === bill.paidUsd6 &&
    indexed.records.length === records &&
    executed.length === results.length &&
    new Set(results.map(({ requestId }) => requestId)).size === tasks;
  const open = Number((await chain.getTransactionReceipt({ hash: openTx })).gasUsed);
  const { assign, settle } = bill.gas;
  return {
    ok: same && bill.settleTxs.length === 1 && bill.paidUsd6 === bill.amountUsd6,
    tasks: results.length,
    /** Requests too large for a frame, and what carried them to the gateway. */
    large: { tasks: large, blobs: carried },
    session: {
      id: sessionId,
      model: faceModel().manifest.name,
      lanes: closing.lanes.map(({ nodeId, nextSeq, signedUsd6 }) => ({
        nodeId,
        records: Number(nextSeq) - 1,
        usd: formatUsd6(signedUsd6),
      })),
      faces: results.reduce((sum, { json }) => sum + facesIn(json), 0),
    },
    paidOnce: { askedTwice, secondReceiptsRefused: refused, standbyLines: records - executed.length },
    bill: {
      signed: formatUsd6(closing.signedUsd6),
      chain: formatUsd6(bill.amountUsd6),
      subgraph: formatUsd6(summedUsd6),
      records,
    },
    gas: { open, assign, settle, perBill: Math.round(settle / records), settleTransactions: bill.settleTxs.length },
    seconds: {
      install: seconds(marks.startedMs, marks.preparedMs),
      up: seconds(marks.preparedMs, marks.upMs),
      open: seconds(marks.photosMs, marks.openMs),
      run: seconds(marks.openMs, marks.runMs),
      close: seconds(marks.runMs, marks.closedMs),
      settle: seconds(marks.closedMs, settledMs),
      index: seconds(settledMs, indexedMs),
      total: seconds(marks.startedMs, indexedMs),
    },
  };
}

function facesIn(json: unknown): number {
  const { images } = json as { images: { faces: unknown[] }[] };
  return images.reduce((sum, { faces }) => sum + faces.length, 0);
}

function seconds(fromMs: number, toMs: number): number {
  return Math.round(toMs - fromMs) / 1_000;
}

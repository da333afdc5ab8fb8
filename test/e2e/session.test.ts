/**
 * A session on a whole network on its worst day: its client is killed with unsigned work at both nodes, then the nodes
 * one after the other, then the gateway. In the end every request is paid once and chain and index agree on every bill.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { resumeSession } from "@ngpu/client/session/resumeSession";
import type { SessionEvent } from "@ngpu/client/session/session";
import { decodeLedgerEntry, type LedgerEntry } from "@ngpu/protocol/session/ledgerEntry";
import { expect } from "chai";
import type { Hex, PublicClient } from "viem";
import { generatePrivateKey } from "viem/accounts";
import { localAccounts } from "../../scripts/stack/accounts.ts";
import { localClient } from "../../scripts/stack/chain.ts";
import { sampleSessionOptions, smallPhotos, wholePhotos } from "../../scripts/stack/sampleSession.ts";
import { untilSessionBilled } from "../../scripts/stack/sessionBill.ts";
import { sessionInSubgraph } from "../../scripts/stack/sessionInSubgraph.ts";
import { startLine, type Line } from "./support/startLine.ts";
import { until } from "./support/until.ts";

const program = join(import.meta.dirname, "support/sessionClient.ts");
const patienceMs = 60_000;

describe("session", () => {
  let line: Line;
  before(async () => (line = await startLine({ agents: 2, dapp: false })));
  after(async () => line?.stop());

  it("pays every request once whoever is killed, and its bills are the same on chain and in the index", async () => {
    const { urls, nodes } = line.stack;
    const signerKey = generatePrivateKey();
    const dataDir = join(line.dataDir, "client");
    const { sessionId, results: before } = await runUntilKilled({ urls, signerKey, dataDir, count: 120 }, 20);

    const events: SessionEvent[] = [];
    const options = sampleSessionOptions({ urls, payer: localAccounts.payer.account, signerKey, dataDir });
    const session = await resumeSession({
      ...options,
      sessionId,
      lanes: 2,
      voucherTiming: { records: 8, waitMs: 300 },
      hedgeAfterMs: 1_000,
      onEvent: (event) => events.push(event),
    });
    // Every tenth is too large for a frame: its body waits at the gateway that is killed.
    const whole = wholePhotos(12);
    const photos = (await smallPhotos(120)).map((photo, index) => whole[index % 10 === 9 ? (index - 9) / 10 : 12] ?? photo);
    const answers: { requestId: Hex; nodeId: number }[] = [];
    const ask = (from: number, to: number, copies: number) =>
      photos.slice(from, to).map(async (photo) => answers.push(await session.run({ ...photo, copies })));

    const first = ask(0, 60, 1);
    await until("some answers after the client came back", patienceMs, () => (answers.length >= 10 ? true : undefined));
    for (const node of nodes) {
      await node.service.kill();
      await line.stack.restartAgent(node);
    }
    await Promise.all(first);
    const second = ask(60, 120, 2);
    await until("some answers on both lanes", patienceMs, () => (answers.length >= 70 ? true : undefined));
    await line.stack.kill("gateway");
    await line.stack.restart("gateway");
    await Promise.all(second);

    const closing = await session.close();
    const journal = readJournal(join(dataDir, `${sessionId}.log`));
    const { records, executions, requests, vouchers } = booksOf(journal);
    expect(answers.map(({ requestId }) => requestId).every((id) => requests.has(id)), "answers are paid").to.equal(true);
    expect(before.every((id) => requests.has(id)), "answers before the kill are paid too").to.equal(true);
    expect(requests.size, "no request twice").to.equal(executions);
    expect(new Set(vouchers.map(({ lane, seq }) => `${lane}:${seq}`)).size).to.equal(vouchers.length);
    const standing = events.filter((event) => event.kind === "refused" && event.code === "REQUEST_PAID");
    expect(standing.length, "second receipts were refused").to.be.greaterThan(0);

    const chain = localClient(urls.rpc) as PublicClient;
    const bill = await untilSessionBilled({ chain, sessionId, records, timeoutMs: patienceMs });
    expect(bill).to.include({ records, executions, amountUsd6: closing.signedUsd6, paidUsd6: closing.signedUsd6 });
    const subgraphUrl = urls.subgraph ?? "";
    const indexed = await sessionInSubgraph({ subgraphUrl, sessionId, bills: records, timeoutMs: patienceMs });
    expect(indexed.records.length).to.equal(records);
    expect(indexed.records.filter(({ kind }) => kind === "Execution").length).to.equal(executions);
    expect(indexed.records.reduce((sum, { amountUsd6 }) => sum + amountUsd6, 0n)).to.equal(bill.amountUsd6);
    expect(indexed).to.include({ bills: records, billedUsd6: bill.amountUsd6, paidUsd6: bill.paidUsd6 });
    for (const nodeId of new Set(indexed.records.map((record) => record.nodeId))) {
      const inChain = indexed.records.filter((record) => record.nodeId === nodeId).sort((a, b) => Number(a.seq - b.seq));
      const inJournal = journal.flatMap((entry) => (entry.t === "record" && entry.nodeId === nodeId ? [entry.ms] : []));
      expect(inChain.map(({ durationMs }) => durationMs), `records of node ${nodeId}`).to.deep.equal(inJournal);
    }
  });
});

/** Lets the client run until it has `enough` results, kills it with -9, and says what it had. */
async function runUntilKilled(given: object, enough: number): Promise<{ sessionId: Hex; results: Hex[] }> {
  const child = spawn(process.execPath, [program, JSON.stringify(given)], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise((resolve) => child.once("close", resolve));
  const said = () =>
    output
      .slice(0, output.lastIndexOf("\n") + 1)
      .split("\n")
      .filter((text) => text !== "")
      .map((text) => JSON.parse(text) as { sessionId?: Hex; requestId?: Hex });
  await until("the client has results", patienceMs, () => {
    if (child.exitCode !== null) throw new Error(`the client ended with code ${child.exitCode}`);
    return said().length > enough ? true : undefined;
  });
  child.kill("SIGKILL");
  await ended;
  const sessionId = said().flatMap((line) => line.sessionId ?? [])[0];
  if (sessionId === undefined) throw new Error("the client never said its session");
  return { sessionId, results: said().flatMap((line) => line.requestId ?? []) };
}

function readJournal(path: string): LedgerEntry[] {
  return readFileSync(path, "utf8").split("\n").slice(0, -1).map(decodeLedgerEntry);
}

/** What a journal says was taken: it was never shortened here, so it holds everything. */
function booksOf(journal: LedgerEntry[]) {
  const requestOf = new Map(journal.flatMap((entry) => (entry.t === "asked" ? [[entry.inputCommitment, entry.requestId]] : [])));
  const taken = journal.filter((entry) => entry.t === "record");
  const executed = taken.filter(({ kind }) => kind === "execution");
  return {
    records: taken.length,
    executions: executed.length,
    requests: new Set(executed.map(({ inputCommitment }) => requestOf.get(inputCommitment))),
    vouchers: journal.flatMap((entry) =>
      entry.t === "voucher" ? [{ lane: entry.message.nodeId, seq: entry.message.seq }] : [],
    ),
  };
}

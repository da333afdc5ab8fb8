/** The timeline says what chain, stream and index say, and nothing before they do. */
import { describe, it } from "node:test";
import type { TimelineRow } from "@ngpu/client/chainTimeline";
import { expect } from "chai";
import { foldTaskEvent, noFacts, type TaskFacts } from "../lib/taskFacts.ts";
import { taskStages, type StagesInput } from "../lib/taskStages.ts";
import { idle, txMachine } from "../lib/txMachine.ts";

const hash: `0x${string}` = `0x${"ab".repeat(32)}`;
const moment = { atMs: 1_000, atS: 50 };

function aRow(stage: TimelineRow["stage"], block: bigint, args: Record<string, unknown> = {}): TimelineRow {
  return { stage, blockNumber: block, blockHash: hash, timestamp: block * 10n, txHash: hash, logIndex: 0, args };
}

function stagesOf(changes: Partial<StagesInput>): string {
  const head = { number: 100n, timestamp: 1_000n, finalised: 96n };
  const input = {
    chainId: 31337,
    rows: [],
    facts: noFacts,
    head,
    mine: true,
    postTx: undefined,
    index: undefined,
    ...changes,
  };
  return taskStages(input)
    .map(({ id, state }) => `${id}:${state}`)
    .join(" ");
}

const posted = aRow("posted", 10n);
const assigned = aRow("assigned", 11n, { seats: [{ nodeId: 1 }, { nodeId: 2 }] });
const accepted = aRow("accepted", 12n, { nodeId: 1 });
const settled = aRow("settled", 13n, { nodeId: 1 });
const refunded = aRow("refunded", 13n, { refundUsd6: 5n, reason: 0 });

describe("stages of a task", () => {
  it("name all that is to come from the first moment, so that nothing jumps", () => {
    expect(stagesOf({ postTx: hash })).to.equal(
      "posted:current assigned:waiting wrapped:waiting accepted:waiting running:waiting result:waiting settled:waiting indexed:waiting",
    );
  });

  it("wait for exactly one thing at a time", () => {
    expect(stagesOf({ rows: [posted] })).to.contain("posted:done assigned:current");
    expect(stagesOf({ rows: [posted, assigned] })).to.contain("assigned:done wrapped:current accepted:waiting");
  });

  it("take an accept on the chain as proof that the key was wrapped", () => {
    expect(stagesOf({ rows: [posted, assigned, accepted] })).to.contain("wrapped:done accepted:done running:current");
  });

  it("call the result open only when this device opened it", () => {
    expect(stagesOf({ rows: [posted, assigned, accepted, settled] })).to.contain("result:current settled:done");
    expect(stagesOf({ rows: [posted, assigned, accepted, settled], mine: false })).to.contain(
      "result:done settled:done",
    );
  });

  it("are indexed only when the index has read the block and shows the end", () => {
    const facts: TaskFacts = { ...noFacts, result: { ...moment, json: {} } };
    const rows = [posted, assigned, accepted, settled];
    expect(stagesOf({ rows, facts, index: { block: 12n, shown: false } })).to.contain("indexed:current");
    expect(stagesOf({ rows, facts, index: { block: 14n, shown: false } })).to.contain("indexed:current");
    expect(stagesOf({ rows, facts, index: { block: 14n, shown: true } })).to.contain("indexed:done");
  });

  it("end calmly when the task is refunded: what never happened is left out", () => {
    expect(stagesOf({ rows: [posted, refunded], index: { block: 20n, shown: true } })).to.equal(
      "posted:done refunded:failed indexed:done",
    );
    const facts = { ...noFacts, progress: { atMs: 1, atS: 1, nodeId: 7, attempt: 0, permille: 100 } };
    expect(stagesOf({ rows: [posted, refunded], facts })).to.equal(
      "posted:done running:failed refunded:failed indexed:current",
    );
    expect(stagesOf({ rows: [posted, aRow("cancelled", 12n)] })).to.equal(
      "posted:done cancelled:failed indexed:current",
    );
  });

  it("wait for keepers, and not for the result, while the payer's demand is open", () => {
    const rows = [posted, assigned, accepted, settled, aRow("demanded", 14n)];
    expect(stagesOf({ rows, index: { block: 20n, shown: true } })).to.contain(
      "result:waiting settled:done demanded:done answer:current indexed:done",
    );
  });

  it("name a demand only once there is one, and end with what came of it", () => {
    const rows = [posted, assigned, accepted, settled];
    expect(stagesOf({ rows })).to.not.contain("demanded");
    const demanded = [...rows, aRow("demanded", 14n), aRow("attested", 15n)];
    expect(stagesOf({ rows: [...demanded, aRow("delivered", 15n)] })).to.contain(
      "result:current settled:done demanded:done delivered:done indexed:waiting",
    );
    expect(stagesOf({ rows: [...demanded, aRow("forfeited", 16n)] })).to.contain(
      "result:failed settled:done demanded:done forfeited:failed indexed:current",
    );
  });

  it("are indexed only when the index has come as far as the demand", () => {
    const rows = [posted, assigned, accepted, settled, aRow("demanded", 14n), aRow("forfeited", 16n)];
    expect(stagesOf({ rows, index: { block: 15n, shown: true } })).to.contain("indexed:current");
    expect(stagesOf({ rows, index: { block: 16n, shown: true } })).to.contain("indexed:done");
  });

  it("show no stage off the chain before the chain stage that led to it", () => {
    const facts: TaskFacts = { ...noFacts, wrapped: { atMs: 5, atS: 109, nodeIds: [1], assignment: 1 } };
    const stages = taskStages({
      chainId: 31337,
      rows: [posted, assigned],
      facts,
      head: undefined,
      mine: true,
      postTx: undefined,
      index: undefined,
    });
    expect(stages.find(({ id }) => id === "wrapped")?.atS).to.equal(110);
  });

  it("tell reversible from final", () => {
    const head = { number: 14n, timestamp: 140n, finalised: 10n };
    const [first, second] = taskStages({
      chainId: 31337,
      rows: [posted, assigned],
      facts: noFacts,
      head,
      mine: true,
      postTx: undefined,
      index: undefined,
    });
    expect(first?.tx?.finality).to.deep.equal({ kind: "final" });
    expect(second?.tx?.finality).to.deep.equal({ kind: "reversible", untilBlock: 15n });
  });
});

describe("facts of a stream", () => {
  it("make a takeover of progress by another node with a higher attempt", () => {
    const first = foldTaskEvent(
      noFacts,
      { kind: "progress", nodeId: 7, attempt: 0, permille: 400 },
      { atMs: 1_000, atS: 1 },
    );
    const second = foldTaskEvent(
      first,
      { kind: "progress", nodeId: 2, attempt: 1, permille: 10 },
      { atMs: 1_240, atS: 2 },
    );
    expect(second.takeover).to.deep.equal({
      atMs: 1_240,
      atS: 2,
      fromNodeId: 7,
      silentSince: { atMs: 1_000, atS: 1 },
      toNodeId: 2,
    });
    expect(foldTaskEvent(second, { kind: "progress", nodeId: 7, attempt: 0, permille: 900 }, moment)).to.equal(second);
  });

  it("count an accept once, however often it is told", () => {
    const event = { kind: "accepted", nodeId: 1, assignment: 1, timeMs: 5 } as const;
    const once = foldTaskEvent(noFacts, event, moment);
    expect(foldTaskEvent(once, event, moment)).to.equal(once);
  });
});

describe("phases of a transaction", () => {
  const stop = { type: "stop", explanation: { tone: "neutral", title: "Declined", text: "", code: "4001" } } as const;

  it("go from the wallet to the chain and back", () => {
    const sent = txMachine(txMachine(idle, { type: "ask" }), { type: "sent" });
    expect(sent.phase).to.equal("chain");
    expect(txMachine(sent, { type: "done" })).to.deep.equal({ phase: "idle" });
  });

  it("keep the explanation of a stop until the next try", () => {
    const stopped = txMachine(txMachine(idle, { type: "ask" }), stop);
    expect(stopped).to.deep.equal({ phase: "idle", explanation: stop.explanation });
    expect(txMachine(stopped, { type: "ask" })).to.deep.equal({ phase: "wallet" });
  });

  it("ignore what the table does not name", () => {
    expect(txMachine(idle, { type: "sent" })).to.equal(idle);
    expect(txMachine(idle, stop)).to.equal(idle);
  });
});

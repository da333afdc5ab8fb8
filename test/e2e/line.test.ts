/**
 * The whole line without a browser: real chain, gateway, keeper, agents and index, a client that pays, and agents that
 * die.
 */
import { after, before, describe, it } from "node:test";
import { readTaskTimeline } from "@ngpu/client/chainTimeline";
import { verifyBill } from "@ngpu/client/verifyBill";
import { deployments } from "@ngpu/protocol/generated/deployments";
import { standbyUsd6 } from "@ngpu/protocol/units";
import { expect } from "chai";
import type { Hex, PublicClient } from "viem";
import { localAccounts } from "../../scripts/stack/accounts.ts";
import { billInSubgraph } from "../../scripts/stack/billInSubgraph.ts";
import { localClient } from "../../scripts/stack/chain.ts";
import { runSampleTask } from "../../scripts/stack/sampleTask.ts";
import type { StackNode } from "../../scripts/stack/stack.ts";
import { taskOf } from "../harness/taskOf.ts";
import { creditOf, readLedger, reservedOf, settlementOf, standbyOf, wealthOf } from "./support/ledger.ts";
import { postTask } from "./support/postTask.ts";
import { startLine, type Line } from "./support/startLine.ts";
import { until } from "./support/until.ts";

const { taskEscrow, deploymentBlock } = deployments[31337];
const deployment = { taskEscrow, deploymentBlock: BigInt(deploymentBlock) };
const payer = localAccounts.payer.account;
const taskTimeoutMs = 60_000;

describe("the line", () => {
  let line: Line;
  let chain: PublicClient;
  before(async () => {
    line = await startLine({ agents: 3, dapp: false });
    chain = localClient(line.stack.urls.rpc);
  });
  after(() => line?.stop());

  const nodeOf = (nodeId: number): StackNode => {
    const node = line.stack.nodes.find((candidate) => candidate.nodeId === nodeId);
    if (!node) throw new Error(`no agent serves node ${nodeId}`);
    return node;
  };
  /** Undefined until it is assigned. */
  const assigned = async (taskId: Hex) => {
    const task = await taskOf({ client: chain, deployment }, taskId);
    return task.state.assignment === 0 ? undefined : task;
  };
  const expectConservation = async (): Promise<void> => {
    const { heldUsd6, owedUsd6 } = await readLedger(chain);
    expect(owedUsd6).to.equal(heldUsd6);
  };

  it("takes a task from post to a bill that chain, client and subgraph agree on, and loses no money", async () => {
    const earnedBefore = new Map<number, bigint>();
    for (const { nodeId = 0, owner } of line.stack.nodes)
      earnedBefore.set(nodeId, await creditOf(chain, owner.account.address));
    const outcome = await runSampleTask({ urls: line.stack.urls, payer, images: 2 });
    const { taskId, bill, quote, receipt } = outcome;

    expect(JSON.stringify(outcome.json)).to.match(/bakery|total/i);
    expect(bill.amountUsd6 > 0n).to.equal(true);
    expect(bill.amountUsd6 + bill.standbyUsd6 + bill.refundUsd6).to.equal(quote.maxAmountUsd6);
    expect({ ...bill, durationMs: receipt.message.durationMs }).to.deep.equal(bill);

    const verdict = await verifyBill({ chain, deployment, taskId });
    expect(verdict.steps.filter(({ ok }) => !ok)).to.deep.equal([]);
    expect(verdict.ok).to.equal(true);

    const indexed = await billInSubgraph({ subgraphUrl: line.stack.urls.subgraph ?? "", taskId, timeoutMs: 30_000 });
    expect(indexed).to.deep.equal({
      amountUsd6: bill.amountUsd6,
      standbyUsd6: bill.standbyUsd6,
      refundUsd6: bill.refundUsd6,
      blockNumber: bill.blockNumber,
      txHash: bill.txHash,
    });

    // Its backup held the input ready, accepted and was not needed: a tenth of the bill is its own.
    const standby = await standbyOf(chain, taskId);
    expect([...standby.values()]).to.deep.equal([standbyUsd6(bill.amountUsd6)]);
    expect(bill.standbyUsd6).to.equal(standbyUsd6(bill.amountUsd6));
    for (const { nodeId = 0, owner } of line.stack.nodes) {
      const earned = (await creditOf(chain, owner.account.address)) - (earnedBefore.get(nodeId) ?? 0n);
      expect(earned).to.equal(nodeId === bill.nodeId ? bill.amountUsd6 : (standby.get(nodeId) ?? 0n));
    }
    await expectConservation();
    const stages = (await readTaskTimeline({ chain, deployment, taskId })).map(({ stage }) => stage);
    expect(stages[0]).to.equal("posted");
    expect(stages[1]).to.equal("assigned");
    expect(stages).to.include("accepted");
    expect(stages.filter((stage) => stage === "settled")).to.have.length(1);
  });

  it("lets the backup earn a task whose primary was killed before it could accept", async () => {
    const task = await postTask({ chain, urls: line.stack.urls, payer, images: 1, withinS: 120 });
    const { state, nodeIds } = await until("assignment", taskTimeoutMs, () => assigned(task.taskId));
    const [primary = 0, backup = 0] = nodeIds;
    // No node has the key yet, so none can have accepted.
    expect(state.acceptedMask).to.equal(0);
    const killed = nodeOf(primary);
    await killed.service.kill();
    const following = new AbortController();
    const followed = task.follow({ signal: following.signal });
    try {
      const settled = await until("settlement", taskTimeoutMs, () => settlementOf(chain, task.taskId));
      const { args } = settled;
      expect(args.nodeId).to.equal(backup);
      expect(args.payout).to.equal(nodeOf(backup).owner.account.address);
      expect(args.standbyUsd6).to.equal(0n);
      expect(args.amountUsd6 + args.refundUsd6).to.equal(task.maxAmountUsd6);
      expect((await verifyBill({ chain, deployment, taskId: task.taskId })).ok).to.equal(true);
      await followed;
    } finally {
      following.abort();
      await line.stack.restartAgent(killed);
    }
    await expectConservation();
  });

  it("lets the backup finish a task whose primary was killed while it executed, and pays once", async () => {
    let killed: StackNode | undefined;
    let killing: Promise<void> | undefined;
    const outcome = await runSampleTask({
      urls: line.stack.urls,
      payer,
      images: 4,
      onProgress: (nodeId) => {
        killed ??= nodeOf(nodeId);
        killing ??= killed.service.kill();
      },
    });
    await killing;
    if (!killed) throw new Error("the task ended before any progress was seen");
    try {
      expect(outcome.bill.nodeId).to.not.equal(killed.nodeId);
      expect(outcome.receipt.message.attempt).to.equal(1);
      expect((await settlementOf(chain, outcome.taskId))?.args.nodeId).to.equal(outcome.bill.nodeId);
    } finally {
      await line.stack.restartAgent(killed);
    }
    await expectConservation();
  });

  it("gives everything back when nobody is left to serve", async () => {
    const before = await wealthOf(chain, payer.address);
    const task = await postTask({ chain, urls: line.stack.urls, payer, images: 1, withinS: 15 });
    await until("assignment", taskTimeoutMs, () => assigned(task.taskId));
    await Promise.all(line.stack.nodes.map(({ service }) => service.kill()));
    const rows = await until("refund", taskTimeoutMs, async () => {
      const found = await readTaskTimeline({ chain, deployment, taskId: task.taskId });
      return found.some(({ stage }) => stage === "refunded") ? found : undefined;
    });
    expect(rows.map(({ stage }) => stage)).to.not.include("settled");
    expect(await wealthOf(chain, payer.address)).to.equal(before);
    expect(await reservedOf(chain, payer.address)).to.equal(0n);
    await expectConservation();
  });
});

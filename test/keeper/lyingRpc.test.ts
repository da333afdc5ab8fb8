/**
 * An RPC that tells what is not so in its events: whoever reads a task compares its words with the digest that the
 * chain keeps, and acts on nothing else.
 */
import type { Gateway } from "@ngpu/keeper/gateway/gateway";
import { readTask } from "@ngpu/protocol/readTask";
import { taskStatus } from "@ngpu/protocol/taskStatus";
import { expect } from "chai";
import { after, before, describe, it } from "node:test";
import { keccak256, stringToBytes, zeroAddress } from "viem";
import { generatePrivateKey } from "viem/accounts";
import { startTestChain, type TestChain } from "../harness/chain.ts";
import { codeRejectedBy } from "../harness/codeRejectedBy.ts";
import { lyingChain } from "../harness/lyingChain.ts";
import { registerNode, type TestNode } from "../harness/nodes.ts";
import { startTestGateway, startTestKeeper } from "../harness/services.ts";
import { stateOf, taskOf } from "../harness/taskOf.ts";
import { assignTask, postTask, settleTask, type TestTask } from "../harness/tasks.ts";
import { connectNode } from "../harness/testNode.ts";
import { until } from "../harness/until.ts";

describe("an RPC that lies about a task", () => {
  let chain: TestChain;
  let gateway: Gateway;
  let nodes: [TestNode, TestNode];
  before(async () => {
    chain = await startTestChain();
    gateway = await startTestGateway(chain);
    nodes = [await registerNode(chain), await registerNode(chain)];
  });
  after(async () => {
    await gateway.close();
    await chain.close();
  });

  const nodeIds = (): number[] => nodes.map(({ nodeId }) => nodeId);

  /** A task that is paid for, and one that is only assigned. */
  async function settledTask(): Promise<TestTask> {
    const task = await postTask(chain);
    await assignTask(chain, { taskId: task.taskId, nodeIds: nodeIds() });
    const peer = await connectNode({ chain, node: nodes[0], gatewayUrl: gateway.url });
    await settleTask(chain, await peer.receipt(task, { assignment: 1, attempt: 0, durationMs: 2_000 }));
    peer.peer.close();
    return task;
  }

  it("is found out in every word of post, assignment and settlement", async () => {
    const open = await postTask(chain);
    await assignTask(chain, { taskId: open.taskId, nodeIds: nodeIds() });
    const paid = await settledTask();
    const seats = [9, 8].map((nodeId) => ({ nodeId, powerCu: 1_000 }));
    const lies: [TestTask, string, Record<string, unknown>][] = [
      ...[{ postedAt: 1 }, { deadline: 1 }, { backups: 3 }, { workCums: 1n }].map(
        (change): [TestTask, string, Record<string, unknown>] => [open, "TaskPosted", change],
      ),
      [open, "TaskPosted", { priceUsd6PerGcums: 1n }],
      [open, "TaskPosted", { stakeWeiPerUsd6: 1n }],
      [open, "TaskPosted", { inputCommitment: keccak256("0x01") }],
      [open, "TaskAssigned", { seats }],
      [open, "TaskAssigned", { seats: seats.slice(1) }],
      [open, "TaskAssigned", { assignment: 2 }],
      [paid, "TaskSettled", { payout: zeroAddress }],
      [paid, "TaskSettled", { amountUsd6: 1n }],
      [paid, "TaskSettled", { durationMs: 1 }],
      [paid, "TaskSettled", { slot: 7 }],
      [paid, "TaskSettled", { outputCiphertext: keccak256("0x01") }],
    ];
    const told = lyingChain(chain);
    const read = ({ taskId }: TestTask) =>
      readTask({ chain: told.client, escrow: chain.deployment.taskEscrow, taskId, firstBlock: 1n });
    for (const [task, about, change] of lies) {
      told.lie(task.taskId, about, change);
      expect(await codeRejectedBy(read(task)), JSON.stringify(Object.keys(change))).to.equal("TASK_WORDS_MISMATCH");
      told.lie(task.taskId, about, undefined);
    }
    expect((await read(open)).assigned?.seats.map(({ nodeId }) => nodeId)).to.deep.equal(nodeIds());
    expect((await read(paid)).settlement?.nodeId).to.equal(nodes[0].nodeId);
  });

  it("gets nothing from a keeper, which goes on with other tasks and bills this one, to its node, by the truth", async () => {
    const lied = await postTask(chain);
    await assignTask(chain, { taskId: lied.taskId, nodeIds: nodeIds() });
    const told = lyingChain(chain);
    // Believed, this would expire the task or dispatch it to others.
    told.lie(lied.taskId, "TaskPosted", { deadline: 1 });
    told.lie(lied.taskId, "TaskAssigned", { seats: [{ nodeId: nodes[1].nodeId, powerCu: 1 }] });
    const modelId = keccak256(stringToBytes(generatePrivateKey()));
    const keeper = startTestKeeper(chain, [gateway.url], { chain: told.client });
    const peer = await connectNode({ chain, node: nodes[0], gatewayUrl: gateway.url });
    try {
      await peer.announce([modelId]);
      peer.keepAlive(200);
      await peer.receipt(lied, { assignment: 1, attempt: 0, durationMs: 2_000 });
      const other = await postTask(chain, { modelId, backups: 0 });
      await peer.peer.next("dispatch", ({ taskId }) => taskId === other.taskId);
      await peer.receipt(other, { assignment: 1, attempt: 0, durationMs: 2_000 });
      await until("the bill of the other", async () => (await stateOf(chain, other.taskId)).status === taskStatus.settled);
      const { status, acceptedMask, failedMask } = await stateOf(chain, lied.taskId);
      expect({ status, acceptedMask, failedMask }).to.deep.equal({
        status: taskStatus.assigned,
        acceptedMask: 0,
        failedMask: 0,
      });

      told.lie(lied.taskId, "TaskPosted", undefined);
      told.lie(lied.taskId, "TaskAssigned", undefined);
      await chain.mine(1);
      await until("the bill", async () => (await stateOf(chain, lied.taskId)).status === taskStatus.settled);
      expect((await taskOf(chain, lied.taskId)).settlement?.nodeId).to.equal(nodes[0].nodeId);
    } finally {
      await keeper.stop();
      peer.peer.close();
    }
  });
});

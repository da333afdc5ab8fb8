/**
 * The keeper against a real chain and a real gateway: one task from post to bill, and every way a node can let it down.
 */
import type { Gateway } from "@ngpu/keeper/gateway/gateway";
import type { Keeper } from "@ngpu/keeper/keeper/keeper";
import { timing } from "@ngpu/keeper/keeper/timing";
import { taskStatus } from "@ngpu/protocol/taskStatus";
import { createChain } from "@ngpu/protocol/service/chain";
import { receiptStatus } from "@ngpu/protocol/typedData";
import { standbyUsd6 } from "@ngpu/protocol/units";
import { expect } from "chai";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { keccak256, stringToBytes, type Hex } from "viem";
import { generatePrivateKey } from "viem/accounts";
import { standbyOf } from "../e2e/support/ledger.ts";
import { startBreakableLine } from "../harness/breakableLine.ts";
import { startTestChain, type TestChain } from "../harness/chain.ts";
import { registerNode, type TestNode } from "../harness/nodes.ts";
import { startTestGateway, startTestKeeper } from "../harness/services.ts";
import { stateOf, taskOf } from "../harness/taskOf.ts";
import { postTask, type TestTask } from "../harness/tasks.ts";
import { connectNode, type NodePeer } from "../harness/testNode.ts";
import { until } from "../harness/until.ts";

describe("keeper", () => {
  let chain: TestChain;
  let gateway: Gateway;
  let keeper: Keeper;
  let peers: NodePeer[];
  let modelId: Hex;

  before(async () => {
    chain = await startTestChain();
  });

  after(() => chain.close());

  beforeEach(async () => {
    modelId = keccak256(stringToBytes(generatePrivateKey()));
    gateway = await startTestGateway(chain);
    keeper = startTestKeeper(chain, [gateway.url]);
    peers = [];
    for (const node of [await registerNode(chain), await registerNode(chain)]) peers.push(await join(node));
  });

  afterEach(async () => {
    await keeper.stop();
    await gateway.close();
  });

  async function join(node: TestNode): Promise<NodePeer> {
    const peer = await connectNode({ chain, node, gatewayUrl: gateway.url });
    await peer.announce([modelId]);
    peer.keepAlive(200);
    return peer;
  }

  async function reaches(taskId: Hex, status: number): Promise<void> {
    await until(`task reaches status ${status}`, async () => (await stateOf(chain, taskId)).status === status);
  }

  /** The peers of the standing assignment, in the order of their seats. */
  async function seated(taskId: Hex): Promise<NodePeer[]> {
    const { nodeIds } = await taskOf(chain, taskId);
    return nodeIds.flatMap((nodeId) => peers.find((peer) => peer.nodeId === nodeId) ?? []);
  }

  async function pairOf(taskId: Hex): Promise<{ primary: NodePeer; backup: NodePeer }> {
    const [primary, backup] = await seated(taskId);
    if (primary === undefined || backup === undefined) throw new Error("assigned to nodes of another test");
    return { primary, backup };
  }

  async function acceptedTask(): Promise<{ task: TestTask; primary: NodePeer; backup: NodePeer }> {
    const task = await postTask(chain, { modelId });
    await reaches(task.taskId, taskStatus.assigned);
    const pair = await pairOf(task.taskId);
    expect(await pair.primary.peer.next("dispatch")).to.include({ role: "primary", attempt: 0, assignment: 1 });
    expect(await pair.backup.peer.next("dispatch")).to.include({ role: "backup", attempt: 0, assignment: 1 });
    await pair.primary.accept(task, 1);
    await pair.backup.accept(task, 1);
    await until("both accepts are on chain", async () => (await stateOf(chain, task.taskId)).acceptedMask === 3);
    return { task, ...pair };
  }

  it("assigns, dispatches, relays accepts, settles and tells the node", async () => {
    const { task, primary } = await acceptedTask();
    await primary.receipt(task, { assignment: 1, attempt: 0 });
    await reaches(task.taskId, taskStatus.settled);
    expect(await primary.peer.next("settled")).to.include({ taskId: task.taskId });
  });

  it("lets the backup take over when the primary's link drops", async () => {
    const { task, primary, backup } = await acceptedTask();
    const start = performance.now();
    primary.peer.close();
    await backup.peer.next("dispatch", ({ role, attempt }) => role === "primary" && attempt === 1);
    expect(performance.now() - start).to.be.below(1_000);
    await backup.receipt(task, { assignment: 1, attempt: 1 });
    await reaches(task.taskId, taskStatus.settled);
  });

  it("lets the backup take over after a signed failure, and records the failure", async () => {
    const { task, primary, backup } = await acceptedTask();
    await primary.receipt(task, { assignment: 1, attempt: 0, status: receiptStatus.runnerCrashed });
    await backup.peer.next("dispatch", ({ role, attempt }) => role === "primary" && attempt === 1);
    await until("the failure is on chain", async () => (await stateOf(chain, task.taskId)).failedMask !== 0);
    await backup.receipt(task, { assignment: 1, attempt: 1 });
    await reaches(task.taskId, taskStatus.settled);
  });

  it("promotes three backups in their order: the third seat has the bill, the fourth its standby", async () => {
    for (const node of [await registerNode(chain), await registerNode(chain)]) peers.push(await join(node));
    const task = await postTask(chain, { modelId, backups: 3 });
    await reaches(task.taskId, taskStatus.assigned);
    const [first, second, third, fourth] = await seated(task.taskId);
    if (!first || !second || !third || !fourth) throw new Error("not four seats");
    for (const peer of [first, second, third, fourth]) await peer.accept(task, 1);
    await until("all accepts are on chain", async () => (await stateOf(chain, task.taskId)).acceptedMask === 15);

    first.peer.close();
    await second.peer.next("dispatch", ({ role, attempt }) => role === "primary" && attempt === 1);
    second.peer.close();
    await third.peer.next("dispatch", ({ role, attempt }) => role === "primary" && attempt === 2);
    await third.receipt(task, { assignment: 1, attempt: 2, durationMs: 2_000 });
    await reaches(task.taskId, taskStatus.settled);
    const { settlement, settled } = await taskOf(chain, task.taskId);
    expect(settlement?.nodeId).to.equal(third.nodeId);
    const standby = await standbyOf(chain.client, task.taskId);
    expect([...standby]).to.deep.equal([[fourth.nodeId, standbyUsd6(settlement?.amountUsd6 ?? 0n)]]);
    expect(settled?.args.standbyUsd6).to.equal(standby.get(fourth.nodeId));
  });

  it("lets the backup take over when progress stops while the link stands", async () => {
    await keeper.stop();
    keeper = startTestKeeper(chain, [gateway.url], { timing: { ...timing, silentMs: 800 } });
    const { task, primary, backup } = await acceptedTask();
    await primary.progress(task, { assignment: 1, attempt: 0, seq: 1 });
    await backup.peer.next("dispatch", ({ role, attempt }) => role === "primary" && attempt === 1);
  });

  it("refunds by both failures", async () => {
    const { task, primary, backup } = await acceptedTask();
    await primary.receipt(task, { assignment: 1, attempt: 0, status: receiptStatus.modelFailed });
    await backup.receipt(task, { assignment: 1, attempt: 0, status: receiptStatus.modelFailed });
    await reaches(task.taskId, taskStatus.refunded);
  });

  it("assigns anew when nobody accepted in time, and expires in the end", async () => {
    const task = await postTask(chain, { modelId, deadlineInS: 60 });
    await reaches(task.taskId, taskStatus.assigned);
    await chain.increaseTime(31);
    await until("second assignment", async () => (await stateOf(chain, task.taskId)).assignment === 2);
    await chain.increaseTime(60);
    await reaches(task.taskId, taskStatus.refunded);
  });

  it("works as two keepers at once", async () => {
    const second = startTestKeeper(chain, [gateway.url], { account: chain.account(1) });
    try {
      const { task, primary } = await acceptedTask();
      await primary.receipt(task, { assignment: 1, attempt: 0 });
      await reaches(task.taskId, taskStatus.settled);
    } finally {
      await second.stop();
    }
  });

  it("carries on where another keeper stopped", async () => {
    const { task, primary } = await acceptedTask();
    await keeper.stop();
    await primary.receipt(task, { assignment: 1, attempt: 0 });
    keeper = startTestKeeper(chain, [gateway.url]);
    await reaches(task.taskId, taskStatus.settled);
  });

  it("finds the gateway again, and dispatches to nodes that came back with it", async () => {
    const { task, primary, backup } = await acceptedTask();
    const { port } = new URL(gateway.url);
    await gateway.close();
    gateway = await startTestGateway(chain, { port: Number(port) });
    peers = [await join(primary.node), await join(backup.node)];
    const { primary: again } = await pairOf(task.taskId);
    await again.peer.next("dispatch", ({ taskId, role }) => taskId === task.taskId && role === "primary");
    await again.receipt(task, { assignment: 1, attempt: 0 });
    await reaches(task.taskId, taskStatus.settled);
  });

  it("lets the backup take over while the chain is silent, and settles when it answers again", async () => {
    const { task, primary, backup } = await acceptedTask();
    await keeper.stop();
    const line = await startBreakableLine(chain.rpcUrl);
    const client = await createChain({ rpcUrl: line.url, chainId: chain.chainId });
    keeper = startTestKeeper(chain, [gateway.url], { rpcUrl: line.url, chain: client });
    await backup.peer.next("dispatch", ({ role }) => role === "backup");
    line.breakIt();
    primary.peer.close();
    await backup.peer.next("dispatch", ({ role, attempt }) => role === "primary" && attempt === 1);
    await backup.receipt(task, { assignment: 1, attempt: 1 });
    line.mend();
    await reaches(task.taskId, taskStatus.settled);
    await keeper.stop();
    await line.close();
  });
});

/** The follower against a real chain: what it sees, and that it sees a replaced chain as it is. */
import { createTaskFollower } from "@ngpu/keeper/chain/taskFollower";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { createChainIdentity } from "@ngpu/protocol/service/chainIdentity";
import { systemClock } from "@ngpu/protocol/service/clock";
import { expect } from "chai";
import { after, before, describe, it } from "node:test";
import { keccak256 } from "viem";
import { startTestChain, type TestChain } from "../harness/chain.ts";
import { registerNode } from "../harness/nodes.ts";
import { testLog } from "../harness/services.ts";
import { taskOf } from "../harness/taskOf.ts";
import { assignTask, postTask } from "../harness/tasks.ts";

describe("task follower", () => {
  let chain: TestChain;

  before(async () => {
    chain = await startTestChain();
  });

  after(() => chain.close());

  it("follows a task from its post to its assignment", async () => {
    const changed: string[] = [];
    const follower = createTaskFollower({
      chain: chain.client,
      deployment: chain.deployment,
      onChange: (facts) => changed.push(facts.taskId),
    });
    const task = await postTask(chain);
    await follower.poll();
    expect(changed).to.deep.equal([task.taskId]);
    expect(follower.known(task.taskId)?.clientKey).to.equal(task.clientKey.address);

    const [one, two] = [await registerNode(chain), await registerNode(chain)];
    await assignTask(chain, { taskId: task.taskId, nodeIds: [one.nodeId, two.nodeId] });
    await follower.poll();
    const { terms, standing } = await taskOf(chain, task.taskId);
    const facts = follower.known(task.taskId);
    expect(facts?.terms).to.deep.equal(terms);
    expect(facts?.assigned).to.deep.include({ ...standing, assignment: 1 });
    expect(follower.lastAssignedBlock(one.nodeId)).to.equal(follower.head()?.number);
  });

  it("forgets what a reorganisation took back, and takes it for no other chain", async () => {
    let resets = 0;
    const follower = createTaskFollower({
      chain: chain.client,
      deployment: chain.deployment,
      identity: createChainIdentity({ chain: chain.client, clock: systemClock, log: testLog }),
      onReset: () => (resets += 1),
    });
    const kept = await postTask(chain);
    const before = await chain.snapshot();
    const lost = await postTask(chain);
    await follower.poll();
    expect(follower.known(lost.taskId)).to.not.equal(undefined);
    await chain.revert(before);
    await chain.mine(10);
    await follower.poll();
    expect(resets).to.equal(0);
    expect(follower.known(lost.taskId)).to.equal(undefined);
    expect(follower.known(kept.taskId)?.clientKey).to.equal(kept.clientKey.address);
  });

  it("keeps what it knows, and tells nobody of it again, while the chain's RPC hangs back", async () => {
    let backBlocks = 0n;
    const getBlock: typeof chain.client.getBlock = async (request) => {
      const isHead = request !== undefined && "blockTag" in request;
      if (!isHead) return chain.client.getBlock(request);
      const blockNumber = (await chain.client.getBlockNumber()) - backBlocks;
      return chain.client.getBlock({ blockNumber } as typeof request);
    };
    const changed: string[] = [];
    const follower = createTaskFollower({
      chain: { ...chain.client, getBlock },
      deployment: chain.deployment,
      onChange: (facts) => changed.push(facts.taskId),
    });
    await follower.poll();
    const passed = follower.head();
    const task = await postTask(chain);
    await chain.mine(5);
    const head = await follower.poll();
    changed.length = 0;
    for (backBlocks of [head.number - (passed?.number ?? 0n), 3n, 1n]) {
      expect(await follower.poll()).to.deep.equal(head);
      expect(follower.known(task.taskId)?.clientKey).to.equal(task.clientKey.address);
    }
    expect(changed).to.deep.equal([]);

    backBlocks = 0n;
    await chain.mine(1);
    expect((await follower.poll()).number).to.equal(head.number + 1n);
    expect(changed).to.deep.equal([]);
  });

  it("finds a task that ended before what it remembers", async () => {
    const follower = createTaskFollower({ chain: chain.client, deployment: chain.deployment, keepEnded: 0 });
    const task = await postTask(chain, { deadlineInS: 20 });
    await chain.increaseTime(21);
    const { terms, standing } = await taskOf(chain, task.taskId);
    await chain.write({
      account: chain.account(3),
      address: chain.deployment.taskEscrow,
      abi: taskEscrowAbi,
      functionName: "expire",
      args: [task.taskId, terms, standing],
    });
    await follower.poll();
    expect(follower.known(task.taskId)).to.equal(undefined);
    expect((await follower.lookup(task.taskId))?.ended).to.deep.equal({ how: "refunded" });
    expect(await follower.lookup(keccak256(task.taskId))).to.equal(undefined);
  });
});

/** The follower against a real chain: what it sees, and that it sees a replaced chain as it is. */
import { createTaskFollower } from "@ngpu/keeper/chain/taskFollower";
import { expect } from "chai";
import { after, before, describe, it } from "node:test";
import { startTestChain, type TestChain } from "../harness/chain.ts";
import { registerNode } from "../harness/nodes.ts";
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
    await assignTask(chain, { taskId: task.taskId, primary: one.nodeId, backup: two.nodeId });
    await follower.poll();
    expect(follower.known(task.taskId)?.assigned).to.include({ primary: one.nodeId, backup: two.nodeId, assignment: 1 });
    expect(follower.lastAssignedBlock(one.nodeId)).to.equal(follower.head()?.number);
  });
});

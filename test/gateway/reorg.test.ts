/** What the gateway still knows of a task whose end was taken back by the chain. */
import { createFrameMemory } from "@ngpu/keeper/gateway/frameMemory";
import type { FrameOf } from "@ngpu/protocol/wire";
import { expect } from "chai";
import { describe, it } from "node:test";
import { toHex } from "viem";
import { startTestChain } from "../harness/chain.ts";
import { registerNode } from "../harness/nodes.ts";
import { connectPeer, type Peer } from "../harness/peer.ts";
import { startTestGateway } from "../harness/services.ts";
import { assignTask, postTask, settleTask } from "../harness/tasks.ts";
import { connectNode } from "../harness/testNode.ts";

const taskOf = (index: number) => toHex(index, { size: 32 });
const dispatchOf = (index: number): FrameOf<"dispatch"> => ({
  t: "dispatch",
  nodeId: 1,
  taskId: taskOf(index),
  assignment: 1,
  attempt: 0,
  role: "primary",
});

describe("frames of a task whose end is undone", () => {
  it("are told to keepers again, those that are connected and those that come then", async () => {
    const chain = await startTestChain();
    const gateway = await startTestGateway(chain);
    const { chainId, deployment, account } = chain;
    const context = { chainId, verifyingContract: deployment.taskEscrow };
    const connectKeeper = (): Promise<Peer> =>
      connectPeer({ gatewayUrl: gateway.url, who: { role: "keeper" }, signer: account(1), context });
    try {
      const nodes = [await registerNode(chain), await registerNode(chain)] as const;
      const task = await postTask(chain);
      await assignTask(chain, { taskId: task.taskId, nodeIds: [nodes[0].nodeId, nodes[1].nodeId] });
      const keeper = await connectKeeper();
      const node = await connectNode({ chain, node: nodes[0], gatewayUrl: gateway.url });
      const { message, signature } = await node.receipt(task, { assignment: 1, attempt: 0 });
      await keeper.next("receipt");

      const before = await chain.snapshot();
      await settleTask(chain, { message, signature });
      await node.peer.next("settled");
      const late = await connectKeeper();
      await late.next("roster");
      expect(late.frames.filter(({ t }) => t === "receipt")).to.deep.equal([]);

      await chain.revert(before);
      await chain.mine(3);
      for (const connected of [keeper, late])
        expect((await connected.next("receipt")).receipt).to.deep.equal({ message, signature });
      const next = await connectKeeper();
      expect((await next.next("receipt")).receipt).to.deep.equal({ message, signature });
    } finally {
      await gateway.close();
      await chain.close();
    }
  });

  it("are kept whole until the end is final, then only as far as a client may ask for them", () => {
    const memory = createFrameMemory({ mostTasks: 10 });
    memory.of(taskOf(1)).dispatches.set(1, dispatchOf(1));
    memory.end(taskOf(1), 100n);
    memory.finalise(99n);
    expect(memory.awaitsFinality()).to.equal(true);
    expect([...memory.open()]).to.deep.equal([]);
    expect(memory.reopen(taskOf(1))?.dispatches.size).to.equal(1);
    expect([...memory.open()].map(([taskId]) => taskId)).to.deep.equal([taskOf(1)]);
    memory.end(taskOf(1), 101n);
    memory.finalise(101n);
    expect(memory.awaitsFinality()).to.equal(false);
    expect(memory.peek(taskOf(1))?.dispatches.size).to.equal(0);
    expect(memory.reopen(taskOf(2))).to.equal(undefined);
  });

  it("are bounded while a chain finds no finality", () => {
    const memory = createFrameMemory({ mostTasks: 10 });
    for (let index = 1; index <= 50; index += 1) {
      memory.of(taskOf(index)).dispatches.set(1, dispatchOf(index));
      memory.end(taskOf(index), BigInt(index));
    }
    const kept = Array.from({ length: 50 }, (_, index) => taskOf(index + 1)).filter((taskId) => memory.peek(taskId));
    expect(kept).to.deep.equal(Array.from({ length: 10 }, (_, index) => taskOf(index + 41)));
  });
});

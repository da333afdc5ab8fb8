/** A local chain that begins anew under a gateway and a keeper which go on running. */
import type { Gateway } from "@ngpu/keeper/gateway/gateway";
import type { Keeper } from "@ngpu/keeper/keeper/keeper";
import { closeCode } from "@ngpu/protocol/wire";
import { expect } from "chai";
import { after, before, describe, it } from "node:test";
import { keccak256, stringToBytes } from "viem";
import { startTestChain, type TestChain } from "../harness/chain.ts";
import { registerNode, type TestNode } from "../harness/nodes.ts";
import { startTestGateway, startTestKeeper } from "../harness/services.ts";
import { stateOf, taskOf } from "../harness/taskOf.ts";
import { postTask } from "../harness/tasks.ts";
import { connectNode, type NodePeer } from "../harness/testNode.ts";
import { until } from "../harness/until.ts";

describe("a chain that begins anew", () => {
  const modelId = keccak256(stringToBytes("a model of two chains"));
  let chain: TestChain;
  let gateway: Gateway;
  let keeper: Keeper;

  before(async () => {
    chain = await startTestChain();
    gateway = await startTestGateway(chain);
    keeper = startTestKeeper(chain, [gateway.url]);
  });
  after(async () => {
    await keeper.stop();
    await gateway.close();
    await chain.close().catch(() => undefined);
  });

  const join = async (node: TestNode): Promise<NodePeer> => {
    const peer = await connectNode({ chain, node, gatewayUrl: gateway.url });
    await peer.announce([modelId], 4);
    peer.keepAlive(200);
    return peer;
  };
  const listed = async (): Promise<number[]> => {
    const { nodes } = (await (await fetch(`${gateway.url}/v1/roster`)).json()) as { nodes: { nodeId: number }[] };
    return nodes.map(({ nodeId }) => nodeId).toSorted();
  };
  const seatsOf = async (taskId: `0x${string}`): Promise<number[] | undefined> => {
    const { state, nodeIds } = await taskOf(chain, taskId);
    return state.assignment === 0 ? undefined : nodeIds.toSorted();
  };

  it("is noticed by both, who drop the old one's peers and tasks and assign by the new one's registrations", async () => {
    const [first, second] = [await registerNode(chain), await registerNode(chain)];
    const peers = [await join(first), await join(second)];
    const old = await postTask(chain, { modelId });
    await until("the old chain's task is assigned", () => seatsOf(old.taskId));
    expect([...gateway.notices(), ...keeper.notices()]).to.deep.equal([]);

    const port = Number(new URL(chain.rpcUrl).port);
    await chain.close();
    chain = await startTestChain({ port });
    for (const { peer } of peers) {
      expect((await peer.next("error", ({ code }) => code === "CHAIN_RESET")).code).to.equal("CHAIN_RESET");
      expect(await peer.closed).to.equal(closeCode.unauthorized);
    }
    expect(await listed()).to.deep.equal([]);
    await until("the keeper has noticed", () => keeper.notices().length > 0);
    for (const { notices } of [gateway, keeper]) expect(notices().join()).to.match(/^CHAIN_RESET at 2\d{3}-/);

    // In another order: what was node 1 is node 2 now, with the same key.
    const again = [
      await registerNode(chain, { operator: second.operator }),
      await registerNode(chain, { operator: first.operator }),
    ];
    expect(again.map(({ nodeId }) => nodeId)).to.deep.equal([first.nodeId, second.nodeId]);
    const anew = await Promise.all(again.map(join));
    expect(await until("both are listed", async () => (await listed()).length === 2 && listed())).to.deep.equal([1, 2]);
    const task = await postTask(chain, { modelId });
    expect(await until("the new chain's task is assigned", () => seatsOf(task.taskId))).to.deep.equal([1, 2]);
    const [primary] = anew;
    if (primary === undefined) throw new Error("nobody joined");
    const { assignment, role } = await primary.peer.next("dispatch", ({ taskId }) => taskId === task.taskId);
    // Both know the key by its new number: what it signs under that is taken.
    await primary.accept(task, assignment);
    await until(`the accept of the ${role} is on chain`, async () => (await stateOf(chain, task.taskId)).acceptedMask !== 0);
    expect(gateway.notReady()).to.deep.equal([]);
  });
});

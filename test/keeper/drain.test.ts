/** A keeper process that is asked to stop while its transaction waits for a block. */
import { taskStatus } from "@ngpu/protocol/taskStatus";
import { expect } from "chai";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import type { Gateway } from "@ngpu/keeper/gateway/gateway";
import { keccak256, stringToBytes, toHex, type Hex } from "viem";
import { startTestChain, type TestChain } from "../harness/chain.ts";
import { registerNode } from "../harness/nodes.ts";
import { startServiceProcess, type ServiceProcess } from "../harness/serviceProcess.ts";
import { startTestGateway, startTestKeeper } from "../harness/services.ts";
import { stateOf } from "../harness/taskOf.ts";
import { postTask } from "../harness/tasks.ts";
import { connectNode } from "../harness/testNode.ts";
import { until } from "../harness/until.ts";

describe("keeper that drains", () => {
  const modelId = keccak256(stringToBytes("a model of the drain"));
  let chain: TestChain;
  let gateway: Gateway;
  let keeper: ServiceProcess;

  before(async () => {
    chain = await startTestChain();
    gateway = await startTestGateway(chain);
    for (const node of [await registerNode(chain), await registerNode(chain)]) {
      const peer = await connectNode({ chain, node, gatewayUrl: gateway.url });
      await peer.announce([modelId], 4);
      peer.keepAlive(200);
    }
  });
  after(async () => {
    await gateway.close();
    await chain.close();
  });
  beforeEach(() => chain.setAutomine(true));
  afterEach(async () => {
    keeper.signal("SIGKILL");
    await keeper.ended;
    await chain.setAutomine(true);
  });

  const start = (env: Record<string, string> = {}): Promise<ServiceProcess> => {
    const key = chain.account(1).getHdKey().privateKey ?? new Uint8Array();
    // What is in flight is to be an assignment, not the network's upkeep.
    const upkeep = { NGPU_KEEP_EPOCHS: "0", NGPU_KEEP_RATE: "0" };
    const links = { NGPU_RPC_URL: chain.rpcUrl, NGPU_GATEWAY_URL: gateway.url, NGPU_OPS_PORT: "0", ...upkeep };
    return startServiceProcess({ bin: "keeper/bin/keeper.ts", env: { ...links, NGPU_KEEPER_KEY: toHex(key), ...env } });
  };
  const ask = async (path: string) => {
    const response = await fetch(`${String(keeper.ready.ops)}${path}`);
    return { status: response.status, ...((await response.json()) as { ok: boolean; draining?: boolean }) };
  };
  const statusOf = async (taskId: Hex): Promise<number> => (await stateOf(chain, taskId)).status;
  const pending = async (): Promise<number> =>
    (await chain.client.getBlock({ blockTag: "pending" })).transactions.length;

  /** Two tasks of which one is being assigned by a transaction that is not mined, and the other waits for its turn. */
  async function inFlight(): Promise<Hex[]> {
    await until("the keeper is ready", async () => (await ask("/ready")).status === 200);
    const posted: Hex[] = [];
    const sent = (): number => keeper.log().split("transaction sent").length - 1;
    const before = sent();
    // Posted while the keeper is frozen, so that it sees both at once and neither is assigned yet.
    keeper.signal("SIGSTOP");
    for (let task = 0; task < 2; task += 1) posted.push((await postTask(chain, { modelId })).taskId);
    await chain.setAutomine(false);
    keeper.signal("SIGCONT");
    await until("a transaction was sent", () => sent() > before);
    expect(await pending()).to.equal(1);
    return posted;
  }

  async function goesOnElsewhere(posted: Hex[]): Promise<void> {
    await chain.setAutomine(true);
    const successor = startTestKeeper(chain, [gateway.url]);
    try {
      await until("both are assigned", async () =>
        (await Promise.all(posted.map(statusOf))).every((status) => status === taskStatus.assigned),
      );
    } finally {
      await successor.stop();
    }
  }

  it("ends the transaction in flight, begins no other, and leaves the rest to its successor", async () => {
    keeper = await start();
    const posted = await inFlight();
    keeper.signal("SIGTERM");
    await until("it drains", async () => (await ask("/ready")).draining === true);
    expect(await ask("/ready")).to.include({ status: 503, ok: false });
    expect(await ask("/health")).to.include({ status: 200, ok: true, draining: true });
    await chain.mine(1);
    expect(await keeper.ended).to.equal(0);
    expect(keeper.log()).to.include("transaction mined").and.include('"msg":"drained"');
    expect(await pending()).to.equal(0);
    const states = await Promise.all(posted.map(statusOf));
    expect(states.toSorted()).to.deep.equal([taskStatus.posted, taskStatus.assigned]);

    await goesOnElsewhere(posted);
  });

  it("leaves a transaction that is not mined in time, and its successor goes on from the chain", async () => {
    keeper = await start({ NGPU_DRAIN_S: "1" });
    const posted = await inFlight();
    keeper.signal("SIGTERM");
    expect(await keeper.ended).to.equal(0);
    expect(keeper.log()).to.include("not everything has ended in time");
    expect(await pending()).to.equal(1);
    await chain.mine(1);
    await goesOnElsewhere(posted);
  });
});

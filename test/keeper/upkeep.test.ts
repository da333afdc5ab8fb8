/** A keeper alone on a real chain does what the network as a whole needs. */
import type { Keeper } from "@ngpu/keeper/keeper/keeper";
import type { Gateway } from "@ngpu/keeper/gateway/gateway";
import { selectionPhase } from "@ngpu/keeper/epochs/selectionPhase";
import { readUpkeepSettings } from "@ngpu/keeper/upkeep/upkeepSettings";
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import { priceOracleAbi } from "@ngpu/protocol/generated/abi/priceOracle";
import { selectionAbi } from "@ngpu/protocol/generated/abi/selection";
import { expect } from "chai";
import { after, before, describe, it } from "node:test";
import { keccak256, zeroHash } from "viem";
import { startTestChain, type TestChain } from "../harness/chain.ts";
import { registerNode, type TestNode } from "../harness/nodes.ts";
import { startTestGateway, startTestKeeper } from "../harness/services.ts";
import { until } from "../harness/until.ts";
import { modelId } from "./world.ts";

describe("upkeep on a chain", () => {
  let chain: TestChain;
  let gateway: Gateway;
  let keeper: Keeper;
  let nodes: TestNode[];

  before(async () => {
    chain = await startTestChain();
    gateway = await startTestGateway(chain);
    nodes = [await registerNode(chain), await registerNode(chain)];
    for (const { nodeId, owner } of nodes) {
      const registry = { address: chain.deployment.nodeRegistry, abi: nodeRegistryAbi };
      await chain.write({ account: owner, ...registry, functionName: "declareModel", args: [nodeId, modelId, true] });
    }
    keeper = startTestKeeper(chain, [gateway.url], { upkeep: readUpkeepSettings({}) });
  });
  after(async () => {
    await keeper?.stop();
    await gateway?.close();
    await chain?.close();
  });

  const selection = () => ({ address: chain.deployment.selection, abi: selectionAbi }) as const;
  const phaseIs = (phase: number) =>
    until(`phase ${phase}`, async () => (await chain.client.readContract({ ...selection(), functionName: "phase" })) === phase);
  const sent = () => chain.client.getTransactionCount({ address: chain.account(1).address });
  const drawn = () =>
    chain.client.readContract({ ...selection(), functionName: "draw", args: [modelId, keccak256("0x01"), 2n] });

  it("leads an epoch from update to seed to open, after which both nodes can be drawn, and notes the feed's rate", async () => {
    await chain.increaseTime(31);
    await phaseIs(selectionPhase.seeding);
    for (const { nodeId } of nodes) {
      // 100 NGPU at 1,000 CU and a quarter of full quality, as newcomers have.
      expect(await chain.client.readContract({ ...selection(), functionName: "weightOf", args: [modelId, nodeId] })).to.equal(25);
    }
    // The local source's seed is the hash of the block after the request.
    await chain.mine(2);
    await phaseIs(selectionPhase.open);
    expect(await chain.client.readContract({ ...selection(), functionName: "epoch" })).to.equal(1);
    expect(await chain.client.readContract({ ...selection(), functionName: "seed" })).not.to.equal(zeroHash);
    expect((await drawn()).toSorted()).to.deep.equal(nodes.map(({ nodeId }) => nodeId));
    const oracle = { address: chain.deployment.priceOracle, abi: priceOracleAbi } as const;
    const [, notedAtS] = await until("the rate is noted", async () => {
      const noted = await chain.client.readContract({ ...oracle, functionName: "lastGood" });
      return noted[1] > 0 && noted;
    });
    expect(notedAtS).to.be.greaterThan(0);
  });

  it("sends nothing while nothing is due, and one transaction when the epoch is over", async () => {
    const before = await sent();
    for (let block = 0; block < 10; block += 1) await chain.mine(1);
    await chain.increaseTime(290);
    await chain.increaseTime(20);
    await phaseIs(selectionPhase.update);
    expect(await sent()).to.equal(before + 1);
  });
});

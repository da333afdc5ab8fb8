/** A keeper alone on a real chain does what the network as a whole needs. */
import type { Keeper } from "@ngpu/keeper/keeper/keeper";
import type { Gateway } from "@ngpu/keeper/gateway/gateway";
import { selectionPhase } from "@ngpu/keeper/epochs/selectionPhase";
import { readUpkeepSettings } from "@ngpu/keeper/upkeep/upkeepSettings";
import { createLivenessDesk } from "@ngpu/node-agent/agent/livenessDesk";
import { availabilityAbi } from "@ngpu/protocol/generated/abi/availability";
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import { priceOracleAbi } from "@ngpu/protocol/generated/abi/priceOracle";
import { selectionAbi } from "@ngpu/protocol/generated/abi/selection";
import { expect } from "chai";
import { after, before, describe, it } from "node:test";
import { createWalletClient, http, keccak256, parseEventLogs, zeroHash, type Account } from "viem";
import { chainOf } from "@ngpu/protocol/service/chain";
import { startTestChain, type TestChain } from "../harness/chain.ts";
import { registerNode, type TestNode } from "../harness/nodes.ts";
import { startTestGateway, startTestKeeper, testLog } from "../harness/services.ts";
import { connectNode, type NodePeer } from "../harness/testNode.ts";
import { until } from "../harness/until.ts";
import { modelId } from "./world.ts";

describe("upkeep on a chain", () => {
  let chain: TestChain;
  let gateway: Gateway;
  let keeper: Keeper;
  /** The first is linked to the gateway and answers; the last holds most of the stake. */
  let nodes: [TestNode, TestNode, TestNode];
  let linked: NodePeer;

  before(async () => {
    chain = await startTestChain();
    gateway = await startTestGateway(chain);
    const most = { stakeWei: 1_000n * 10n ** 18n };
    nodes = [await registerNode(chain), await registerNode(chain), await registerNode(chain, most)];
    linked = await connectNode({ chain, node: nodes[0], gatewayUrl: gateway.url });
    await linked.announce([modelId]);
    linked.keepAlive(200);
    for (const { nodeId, owner } of nodes.slice(0, 2)) {
      const registry = { address: chain.deployment.nodeRegistry, abi: nodeRegistryAbi };
      await chain.write({ account: owner, ...registry, functionName: "declareModel", args: [nodeId, modelId, true] });
    }
    keeper = startTestKeeper(chain, [gateway.url], { upkeep: readUpkeepSettings({}) });
  });
  after(async () => {
    await keeper?.stop();
    linked?.peer.close();
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
    for (const { nodeId } of nodes.slice(0, 2)) {
      // 100 NGPU at 1,000 CU and a quarter of full quality, as newcomers have.
      expect(await chain.client.readContract({ ...selection(), functionName: "weightOf", args: [modelId, nodeId] })).to.equal(25);
    }
    // The local source's seed is the hash of the block after the request.
    await chain.mine(2);
    await phaseIs(selectionPhase.open);
    expect(await chain.client.readContract({ ...selection(), functionName: "epoch" })).to.equal(1);
    expect(await chain.client.readContract({ ...selection(), functionName: "seed" })).not.to.equal(zeroHash);
    expect((await drawn()).toSorted()).to.deep.equal(nodes.slice(0, 2).map(({ nodeId }) => nodeId));
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

  const availability = () => ({ address: chain.deployment.availability, abi: availabilityAbi }) as const;
  const bondWei = 10n ** 17n;
  const creditOf = (account: Account) =>
    chain.client.readContract({ ...availability(), functionName: "bondCreditOf", args: [account.address] });

  async function challenge(node: TestNode, challenger: Account) {
    const place = chainOf(chain.chainId, chain.rpcUrl);
    const wallet = createWalletClient({ account: challenger, chain: place, transport: http(chain.rpcUrl) });
    const call = { ...availability(), functionName: "challengeLiveness", args: [node.nodeId], value: bondWei } as const;
    const { logs } = await chain.client.waitForTransactionReceipt({ hash: await wallet.writeContract(call) });
    const [event] = parseEventLogs({ abi: availabilityAbi, eventName: "LivenessChallenged", logs });
    if (event === undefined) throw new Error("a challenge leaves an event");
    return event.args;
  }

  async function eventOf<N extends "LivenessAnswered" | "FaultRecorded" | "BondCreditPaid" | "LivenessChallenged">(
    eventName: N,
    matches: (args: Record<string, unknown>) => boolean,
  ) {
    return until(eventName, async () => {
      const events = await chain.client.getContractEvents({ ...availability(), eventName, fromBlock: 0n, strict: true });
      return events.map(({ args }) => args as Record<string, unknown>).find(matches);
    });
  }

  it("relays a node's answer: of the bond the relayer is paid out its part, of the rest half burns and half is the challenger's", async () => {
    const challenger = chain.account(5);
    const context = { chainId: chain.chainId, verifyingContract: chain.deployment.taskEscrow };
    const { nodeId, node, peer } = linked;
    const send = (frame: Parameters<typeof peer.send>[0]): void => peer.send(frame);
    const { client, deployment } = chain;
    const desk = createLivenessDesk({ client, deployment, nodeId, context, signer: node.operator, send, log: testLog });
    const { challengeId } = await challenge(node, challenger);
    await desk.ask({ t: "livenessAsk", nodeId, challengeId: keccak256("0x66") });
    await desk.ask({ t: "livenessAsk", nodeId: nodeId + 1, challengeId });
    const ask = await peer.next("livenessAsk");
    expect(ask).to.deep.equal({ t: "livenessAsk", nodeId, challengeId });
    await desk.ask(ask);
    // A block's hash is known from the next block on.
    await chain.mine(1);
    const answered = await eventOf("LivenessAnswered", (args) => args.challengeId === challengeId);
    const { relayer, relayWei, burnedWei, returnedWei } = answered as Record<string, bigint>;
    expect(relayer).to.equal(chain.account(1).address);
    expect(burnedWei).to.equal((bondWei - (relayWei ?? 0n)) / 2n);
    expect(await creditOf(challenger)).to.equal(returnedWei);
    const paid = await eventOf("BondCreditPaid", ({ account }) => account === chain.account(1).address);
    expect(paid.amountWei, "what relaying earned").to.equal(relayWei);
  });

  it("closes a challenge that nobody answered: a strike for the node, and the whole bond back to its challenger", async () => {
    const challenger = chain.account(6);
    const { challengeId, closableAt, nodeId } = await challenge(nodes[1], challenger);
    await chain.increaseTime(closableAt - (await chain.nowS()));
    const fault = await eventOf("FaultRecorded", (args) => args.faultId === challengeId);
    expect(fault).to.include({ nodeId, strikes: 1, excused: false });
    expect(await creditOf(challenger)).to.equal(bondWei);
  });

  it("challenges a node that no gateway has seen, once an epoch, with its own bond, where it is told to", async () => {
    await keeper.stop();
    const { faults, ...rest } = readUpkeepSettings({});
    const before = await chain.client.getBlockNumber();
    keeper = startTestKeeper(chain, [gateway.url], {
      upkeep: { ...rest, faults: { ...faults, challenge: { silentForS: 1, mostWeiPerDay: 10n ** 16n } } },
    });
    const own = (args: Record<string, unknown>): boolean => args.challenger === chain.account(1).address;
    await until("blocks come and the silent node is challenged", async () => {
      await chain.mine(1);
      const events = await chain.client.getContractEvents({ ...availability(), eventName: "LivenessChallenged", fromBlock: before, strict: true });
      return events.some(({ args }) => own(args));
    });
    for (let block = 0; block < 5; block += 1) await chain.mine(1);
    const events = await chain.client.getContractEvents({ ...availability(), eventName: "LivenessChallenged", fromBlock: before, strict: true });
    // The first is linked, and the second is suspended by its strike.
    expect(events.map(({ args }) => args.nodeId)).to.deep.equal([nodes[2].nodeId]);
  });
});

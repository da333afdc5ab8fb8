/** A keeper alone on a real chain does what the network as a whole needs. */
import { openAuditLog } from "@ngpu/keeper/audits/auditLog";
import type { Canary } from "@ngpu/keeper/audits/canarySet";
import type { Evidence } from "@ngpu/keeper/audits/evidence";
import type { Keeper } from "@ngpu/keeper/keeper/keeper";
import type { Gateway } from "@ngpu/keeper/gateway/gateway";
import { createTaskFollower } from "@ngpu/keeper/chain/taskFollower";
import { selectionPhase } from "@ngpu/keeper/epochs/selectionPhase";
import { readSnapshot } from "@ngpu/keeper/keeper/snapshot";
import { readUpkeepSettings } from "@ngpu/keeper/upkeep/upkeepSettings";
import { createLivenessDesk } from "@ngpu/node-agent/agent/livenessDesk";
import { catalogue } from "@ngpu/protocol/catalogue";
import { accessManagerAbi } from "@ngpu/protocol/generated/abi/accessManager";
import { assignmentAbi } from "@ngpu/protocol/generated/abi/assignment";
import { availabilityAbi } from "@ngpu/protocol/generated/abi/availability";
import { nodeRegistryAbi } from "@ngpu/protocol/generated/abi/nodeRegistry";
import { priceOracleAbi } from "@ngpu/protocol/generated/abi/priceOracle";
import { scoreBoardAbi } from "@ngpu/protocol/generated/abi/scoreBoard";
import { selectionAbi } from "@ngpu/protocol/generated/abi/selection";
import { chainOf } from "@ngpu/protocol/service/chain";
import { systemClock } from "@ngpu/protocol/service/clock";
import { createTelemetry, type Telemetry } from "@ngpu/protocol/service/telemetry";
import { expect } from "chai";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createWalletClient, http, keccak256, parseEventLogs, stringToBytes, zeroHash, type Account } from "viem";
import { startTestChain, type TestChain } from "../harness/chain.ts";
import { registerNode, type TestNode } from "../harness/nodes.ts";
import { startTestGateway, startTestKeeper, testLog } from "../harness/services.ts";
import { connectNode, type NodePeer } from "../harness/testNode.ts";
import { postTask } from "../harness/tasks.ts";
import { until } from "../harness/until.ts";
import { modelId } from "./world.ts";

const [knownModel] = catalogue;
if (knownModel === undefined) throw new Error("the catalogue holds no model");

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
    const { taskId } = await postTask(chain, { modelId });
    const follower = createTaskFollower({ chain: chain.client, deployment: chain.deployment });
    const head = await follower.poll();
    const read = { chain: chain.client, deployment: chain.deployment, follower, head, nodeIds: [] };
    const task = (await readSnapshot(read)).tasks.find((open) => open.taskId === taskId);
    const draw = { address: chain.deployment.assignment, abi: assignmentAbi, functionName: "drawFor" } as const;
    expect(task?.drawn, "the keeper plans by the contract's own draw").to.have.length(2);
    expect(task?.drawn).to.deep.equal(await chain.client.readContract({ ...draw, args: [taskId, modelId, 16n] }));
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

  it("sets a quality for a wrong result by the role of audits, with evidence whose hash the chain names, and not without it", async () => {
    const { deployment, client } = chain;
    const wrong = nodes[0].nodeId;
    const board = { address: deployment.scoreBoard, abi: scoreBoardAbi } as const;
    const ratings = () => client.getContractEvents({ ...board, eventName: "QualityChanged", fromBlock: 0n, strict: true });
    const folder = mkdtempSync(join(tmpdir(), "ngpu-audits-"));
    const canary: Canary = {
      ...{ id: "a", ...knownModel, parts: [], declared: {}, workCums: 1_000n },
      expected: { schema: "ngpu.text/1", images: [] },
    };
    const published: Evidence[] = [];
    const posted: string[] = [];
    const bill = { nodeId: wrong, powerCu: 1_000, durationMs: 5, priceUsd6PerGcums: 1n, amountUsd6: 1n, standbyUsd6: 0n, refundUsd6: 0n };
    const auditWith = async (name: string): Promise<Telemetry> => {
      await keeper.stop();
      const telemetry = createTelemetry({ service: "keeper" });
      keeper = startTestKeeper(chain, [gateway.url], {
        telemetry,
        audits: {
          ...{ chain: client, chainId: chain.chainId, deployment, canaries: () => [canary], seed: keccak256("0x5eed") },
          // So many that some are always due; the budget ends it after one.
          rules: { perDay: 1_000, budgetUsd6: 1n, mostUses: 1, drillPercent: 0 },
          memory: await openAuditLog(join(folder, name)),
          // Paid for and not what was expected.
          post: async ({ canary: { id }, beforePost }) => {
            await beforePost(keccak256("0x01"));
            posted.push(id);
            return { taskId: keccak256("0x01"), bill: { ...bill, txHash: zeroHash, blockNumber: 0n }, json: { schema: "ngpu.faces/1" } };
          },
          publish: async (evidence) => void published.push(evidence),
          ...{ clock: systemClock, log: testLog, everyMs: 20 },
        },
      });
      return telemetry;
    };
    const manager = { address: deployment.accessManager, abi: accessManagerAbi };
    const auditRole = 9n;
    // The local deployment gives it to the keeper.
    await chain.write({ account: chain.account(0), ...manager, functionName: "revokeRole", args: [auditRole, chain.account(1).address] });
    const telemetry = await auditWith("without-role.log");
    await until("it was refused", async () => /actions_total{[^}]*setQuality[^}]*refused/.test(await telemetry.text()));
    await chain.write({ account: chain.account(0), ...manager, functionName: "grantRole", args: [auditRole, chain.account(1).address, 0] });
    expect((await ratings()).length, "nobody without the role rates anybody").to.equal(0);
    await auditWith("with-role.log");
    const [rated] = await until("the node is rated", async () => {
      const found = await ratings();
      return found.length > 0 && found;
    });
    rmSync(folder, { recursive: true });
    // A quarter is what a newcomer has; a wrong result takes as much.
    expect(rated?.args).to.include({ nodeId: wrong, formerBps: 2_500, qualityBps: 0 });
    const evidence = published.find(({ cause }) => cause === rated?.args.cause);
    expect(keccak256(stringToBytes(evidence?.text ?? ""))).to.equal(rated?.args.cause);
    expect(posted.length, "one for each auditor").to.equal(2);
  });

  it("challenges a node that no gateway has seen, once an epoch, with its own bond, where it is told to", async () => {
    await keeper.stop();
    const { faults, ...rest } = readUpkeepSettings({});
    const before = await chain.client.getBlockNumber();
    keeper = startTestKeeper(chain, [gateway.url], {
      upkeep: { ...rest, faults: { ...faults, challenge: { silentForS: 1, mostWeiPerDay: 10n ** 16n } } },
    });
    const own = ({ challenger }: { challenger: string }): boolean => challenger === chain.account(1).address;
    const challenged = async () => {
      const query = { ...availability(), eventName: "LivenessChallenged", fromBlock: before, strict: true } as const;
      return (await chain.client.getContractEvents(query)).map(({ args }) => args).filter(own);
    };
    await until("blocks come and the silent node is challenged", async () => {
      await chain.mine(1);
      return (await challenged()).some(({ nodeId }) => nodeId === nodes[2].nodeId);
    });
    for (let block = 0; block < 5; block += 1) await chain.mine(1);
    const events = await challenged();
    expect(events.map(({ nodeId }) => nodeId), "one that is linked").not.to.include(nodes[0].nodeId);
    expect(new Set(events.map(({ nodeId, epoch }) => `${nodeId}:${epoch}`)).size).to.equal(events.length);
    expect(events.every((event) => event.bondWei >= 10n ** 14n)).to.equal(true);
  });
});

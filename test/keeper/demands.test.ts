/**
 * Outputs that a payer demands, on a real chain: a keeper whose gateway holds one answers for it, and one that nobody
 * holds costs its node the bill. Every test ends in where bill and bond are.
 */
import { awaitDemand } from "@ngpu/client/awaitDemand";
import { demandOutput, type DemandOptions } from "@ngpu/client/demandOutput";
import type { Gateway } from "@ngpu/keeper/gateway/gateway";
import type { Keeper } from "@ngpu/keeper/keeper/keeper";
import type { OpenDemand } from "@ngpu/keeper/keeper/snapshot";
import { planDemands } from "@ngpu/keeper/demands/planDemands";
import { localUsdAbi } from "@ngpu/protocol/generated/abi/localUsd";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { chainOf } from "@ngpu/protocol/service/chain";
import { taskStatus } from "@ngpu/protocol/taskStatus";
import { expect } from "chai";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { createWalletClient, http, keccak256, zeroAddress, zeroHash, type Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { bondKeeper } from "../../scripts/stack/bondKeeper.ts";
import { drip } from "../../scripts/stack/nodes.ts";
import { creditOf, readLedger, wealthOf } from "../e2e/support/ledger.ts";
import { startTestChain, type TestChain } from "../harness/chain.ts";
import { codeRejectedBy } from "../harness/codeRejectedBy.ts";
import { registerNode, type TestNode } from "../harness/nodes.ts";
import { startTestGateway, startTestKeeper } from "../harness/services.ts";
import { stateOf, taskOf } from "../harness/taskOf.ts";
import { assignTask, postTask, type TestTask } from "../harness/tasks.ts";
import { connectNode } from "../harness/testNode.ts";
import { until } from "../harness/until.ts";
import { aTask, chainTimeS } from "./world.ts";

const payerIndex = 2;

describe("plan: demands", () => {
  const account = privateKeyToAccount(generatePrivateKey()).address;
  const { taskId, terms } = aTask();
  const settlement = { nodeId: 1, payout: zeroAddress, amountUsd6: 1n, receiptHash: zeroHash, outputCiphertext: zeroHash };
  const demand: OpenDemand = { taskId, terms, settlement, answerableUntilS: chainTimeS + 1, attestedBy: [] };
  const world = { demands: [demand], chainTimeS, account, isBonded: true, held: new Set([taskId]) };
  const rows: [string, Partial<typeof world>, string[]][] = [
    ["attests an output that a gateway of its own holds", {}, ["attest"]],
    ["not one that none of them holds", { held: new Set() }, []],
    ["not while it is not bonded", { isBonded: false }, []],
    ["not twice", { demands: [{ ...demand, attestedBy: [account] }] }, []],
    ["closes a demand when its time is over, bonded or not", { chainTimeS: chainTimeS + 1, isBonded: false }, ["closeDemand"]],
  ];
  for (const [title, change, kinds] of rows) {
    it(title, () => {
      expect(planDemands({ ...world, ...change }).map(({ kind }) => kind)).to.deep.equal(kinds);
    });
  }
});

describe("demands", () => {
  let chain: TestChain;
  let gateway: Gateway;
  let keeper: Keeper;
  let nodes: [TestNode, TestNode];
  before(async () => {
    chain = await startTestChain();
    nodes = [await registerNode(chain, { ownerIndex: 3 }), await registerNode(chain, { ownerIndex: 4 })];
    const { rpcUrl } = chain;
    await drip({ rpcUrl, account: chain.account(1) });
    await bondKeeper({ rpcUrl, account: chain.account(1) });
  });
  after(() => chain.close());
  beforeEach(async () => {
    gateway = await startTestGateway(chain);
    keeper = startTestKeeper(chain, [gateway.url]);
  });
  afterEach(async () => {
    await keeper.stop();
    await gateway.close();
  });

  interface Paid {
    task: TestTask;
    /** Of everything that the payer has, before the post. */
    wealthUsd6: bigint;
    amountUsd6: bigint;
    options: DemandOptions;
  }

  /** Posted, executed, its output stored at the gateway, and settled by the keeper. */
  async function paidTask(): Promise<Paid> {
    const clientPrivateKey = generatePrivateKey();
    const task = await postTask(chain, { payerIndex, clientKey: privateKeyToAccount(clientPrivateKey) });
    const { taskId, modelId, inputCiphertext } = task;
    const payer = chain.account(payerIndex);
    const wealthUsd6 = await wealthOf(chain.client, payer.address);
    await assignTask(chain, { taskId, nodeIds: nodes.map(({ nodeId }) => nodeId) });
    const node = await connectNode({ chain, node: nodes[0], gatewayUrl: gateway.url });
    await node.receipt(task, { assignment: 1, attempt: 0, durationMs: 2_000 });
    await reaches(taskId, taskStatus.settled);
    node.peer.close();
    const { settlement } = await taskOf(chain, taskId);
    const secrets = { taskId, modelId, inputCiphertext, taskKey: zeroHash, clientPrivateKey };
    const transport = http(chain.rpcUrl);
    const wallet = createWalletClient({ account: payer, chain: chainOf(chain.chainId, chain.rpcUrl), transport });
    const { localUsd = zeroAddress } = chain.deployment;
    const deployment = { ...chain.deployment, localUsd, deploymentBlock: 1n };
    const options = { chain: chain.client, wallet, deployment, gatewayUrls: [gateway.url], secrets };
    return { task, wealthUsd6, amountUsd6: settlement?.amountUsd6 ?? 0n, options };
  }

  async function reaches(taskId: Hex, status: number): Promise<void> {
    await until(`task reaches status ${status}`, async () => (await stateOf(chain, taskId)).status === status);
  }

  async function expectMoney(paid: Paid, where: { lostUsd6: bigint; node: bigint; treasury: bigint }, before: Credits) {
    const payer = chain.account(payerIndex).address;
    expect(paid.wealthUsd6 - (await wealthOf(chain.client, payer))).to.equal(where.lostUsd6);
    const after = await credits();
    const { node, treasury } = where;
    const keeper = 0n;
    expect({
      node: after.node - before.node,
      treasury: after.treasury - before.treasury,
      keeper: after.keeper - before.keeper,
    }).to.deep.equal({ node, treasury, keeper });
    const { heldUsd6, owedUsd6 } = await readLedger(chain.client);
    expect(owedUsd6).to.equal(heldUsd6);
  }

  type Credits = Awaited<ReturnType<typeof credits>>;
  async function credits() {
    const [owner, account] = [nodes[0].owner.address, chain.account(1).address];
    const escrow = { address: chain.deployment.taskEscrow, abi: taskEscrowAbi } as const;
    const treasury = await chain.client.readContract({ ...escrow, functionName: "treasury" });
    return {
      node: await creditOf(chain.client, owner),
      treasury: await creditOf(chain.client, treasury),
      keeper: await creditOf(chain.client, account),
    };
  }

  it("answers for an output that its gateway holds: the node has its bill, the treasury the payer's bond, the keeper nothing", async () => {
    const before = await credits();
    const paid = await paidTask();
    const { taskId } = paid.task;
    expect(paid.amountUsd6 > 0n).to.equal(true);
    // The client would not demand what it can fetch, so the payer does it by hand.
    expect(await codeRejectedBy(demandOutput(paid.options))).to.equal("OUTPUT_HELD");
    const { terms, settlement } = await taskOf(chain, taskId);
    const escrow = { address: chain.deployment.taskEscrow, abi: taskEscrowAbi };
    const args = [taskId, terms, settlement];
    await chain.write({ account: chain.account(payerIndex), ...escrow, functionName: "demandOutput", args });
    await reaches(taskId, taskStatus.delivered);
    const bondUsd6 = await chain.client.readContract({
      ...escrow,
      abi: taskEscrowAbi,
      functionName: "demandBondOf",
      args: [paid.amountUsd6],
    });
    const { amountUsd6 } = paid;
    await expectMoney(paid, { lostUsd6: amountUsd6 + bondUsd6, node: amountUsd6, treasury: bondUsd6 }, before);
    expect(await codeRejectedBy(demandOutput(paid.options))).to.equal("DEMAND_NOT_POSSIBLE");
  });

  it("cannot answer for an output that nobody holds: bill and bond are the payer's again, the node has nothing", async () => {
    const before = await credits();
    const paid = await paidTask();
    const { taskId } = paid.task;
    const { port } = new URL(gateway.url);
    await gateway.close();
    gateway = await startTestGateway(chain, { port: Number(port) });

    // A payer that pays by permits has allowed nothing beforehand.
    const { deployment } = paid.options;
    const allowance = { address: deployment.localUsd, abi: localUsdAbi, functionName: "approve" };
    await chain.write({ account: chain.account(payerIndex), ...allowance, args: [deployment.paymentVault, 0n] });
    const { amountUsd6, bondUsd6, answerableUntilS } = await demandOutput(paid.options);
    expect([amountUsd6, bondUsd6 > 0n]).to.deep.equal([paid.amountUsd6, true]);
    const signal = AbortSignal.timeout(20_000);
    const ending = awaitDemand({ chain: chain.client, deployment: chain.deployment, taskId, signal });
    await chain.increaseTime(answerableUntilS - (await chain.nowS()));
    expect(await ending).to.equal("forfeited");
    await expectMoney(paid, { lostUsd6: 0n, node: 0n, treasury: 0n }, before);
  });

  it("is not made for a task that has no bill, nor when the payer's window is over: the node keeps its bill", async () => {
    const before = await credits();
    const paid = await paidTask();
    const { amountUsd6, options } = paid;
    const { port } = new URL(gateway.url);
    await gateway.close();
    gateway = await startTestGateway(chain, { port: Number(port) });
    await chain.increaseTime(30);
    expect(await codeRejectedBy(demandOutput(options))).to.equal("DEMAND_TOO_LATE");
    await expectMoney(paid, { lostUsd6: amountUsd6, node: amountUsd6, treasury: 0n }, before);
    const { taskId } = await postTask(chain, { payerIndex });
    const secrets = { ...options.secrets, taskId };
    expect(await codeRejectedBy(demandOutput({ ...options, secrets }))).to.equal("DEMAND_NOT_POSSIBLE");
    const unknown = { ...options.secrets, taskId: keccak256("0x01") };
    expect(await codeRejectedBy(demandOutput({ ...options, secrets: unknown }))).to.equal("TASK_UNKNOWN");
  });
});

/**
 * The whole local index on a real chain: what the contracts did is in the subgraph within two seconds, to the last
 * digit.
 */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { keeperBondsAbi } from "@ngpu/protocol/generated/abi/keeperBonds";
import { ngpuTokenAbi } from "@ngpu/protocol/generated/abi/ngpuToken";
import { paymentVaultAbi } from "@ngpu/protocol/generated/abi/paymentVault";
import { stakeVaultAbi } from "@ngpu/protocol/generated/abi/stakeVault";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { limits } from "@ngpu/protocol/limits";
import { signMessage } from "@ngpu/protocol/signed";
import { receiptStatus } from "@ngpu/protocol/typedData";
import { maxAmountUsd6, standbyUsd6 } from "@ngpu/protocol/units";
import { keccak256, toBytes, type Address, type Hex } from "viem";
import { buildSubgraph } from "../../scripts/generate/subgraph.ts";
import { findGnd } from "../../scripts/stack/findGnd.ts";
import { startGraphNode, type GraphNode } from "../../scripts/stack/graphNode.ts";
import { startIpfsStub, type IpfsStub } from "../../scripts/stack/ipfsStub.ts";
import { freePorts, type StackPorts } from "../../scripts/stack/ports.ts";
import { startPostgres, type Postgres } from "../../scripts/stack/postgres.ts";
import { startTestChain, type TestChain } from "../harness/chain.ts";
import { registerNode, type TestNode } from "../harness/nodes.ts";
import { taskOf } from "../harness/taskOf.ts";
import { assignTask, postTask, settleTask, type TestTask } from "../harness/tasks.ts";

const visibleWithinMs = 2_000;
const payerIndex = 2;

const keeperIndex = 7;
const treasuryIndex = 0;

interface IndexedTask {
  status: string;
  bill: object | null;
}

interface IndexedDemand {
  id: string;
  status: string;
  bill: { state: string; amountUsd6: string; standbyUsd6: string; totalUsd6: string };
  demand: object;
}

/** What the index tells of a task, as far as calls of TaskEscrow need it. */
interface IndexedWords {
  payer: { id: Address };
  postedAt: string;
  deadline: string;
  backups: number;
  workCums: string;
  priceUsd6PerGcums: string;
  stakeWeiPerUsd6: string;
  contentHash: Hex;
  bill: { node: { id: string }; payout: { id: Address }; amountUsd6: string; receiptHash: Hex; outputCiphertext: Hex };
}

describe("the local index", { skip: findGnd() ? false : "no graph-node for this platform" }, () => {
  let chain: TestChain;
  let scratch: string;
  let ports: StackPorts;
  let postgres: Postgres;
  let ipfs: IpfsStub;
  let index: GraphNode;
  let nodes: readonly [TestNode, TestNode, TestNode, TestNode];

  before(async () => {
    await buildSubgraph();
    scratch = await mkdtemp(path.join(tmpdir(), "ngpu-index-"));
    ports = await freePorts();
    chain = await startTestChain();
    postgres = await startPostgres({ dataDir: path.join(scratch, "postgres"), port: ports.postgres });
    ipfs = await startIpfsStub({ port: ports.ipfs });
    index = await startGraphNode({
      rpcUrl: chain.rpcUrl,
      postgresUrl: postgres.url("graph"),
      ipfsUrl: ipfs.url,
      ports: {
        http: ports.graphHttp,
        admin: ports.graphAdmin,
        indexNode: ports.graphIndex,
        metrics: ports.graphMetrics,
      },
      workDir: scratch,
    });
    const of = (ownerIndex: number) => registerNode(chain, { ownerIndex, stakeWei: 1_000n * 10n ** 18n });
    nodes = [await of(3), await of(4), await of(5), await of(6)];
    await bondKeeper();
  });
  after(async () => {
    await index?.stop();
    await ipfs?.stop();
    await postgres?.stop();
    await chain?.close();
    await rm(scratch, { recursive: true, force: true });
  });

  it("shows a settled task, its bill and its standby soon after the block", async (context) => {
    const task = await postTask(chain, { payerIndex, backups: 3 });
    await assignTask(chain, { taskId: task.taskId, nodeIds: nodeIdsOf(nodes) });
    for (const node of nodes.slice(0, 3)) await accept(task, node);
    await settle(task, { node: nodes[0], durationMs: 1_234 });
    const settledAt = performance.now();

    const indexed = await eventually(async () => {
      const { task: found } = await query<{ task: IndexedTask | null }>(
        `{ task(id: "${task.taskId}") { status assigner maxAmountUsd6 seats(orderBy: index) { index node { id } powerCu accepted billed standbyUsd6 }
          bill { amountUsd6 standbyUsd6 totalUsd6 refundUsd6 durationMs powerCu state payout { id } standby(orderBy: position) { node { id } amountUsd6 payout { id } } } } }`,
      );
      return found?.bill ? found : undefined;
    });
    context.diagnostic(`bill visible ${Math.round(performance.now() - settledAt)} ms after its receipt was mined`);

    const { priceUsd6PerGcums } = (await taskOf(chain, task.taskId)).terms;
    const amountUsd6 = (1_000n * 1_234n * priceUsd6PerGcums) / 1_000_000_000n;
    const each = standbyUsd6(amountUsd6);
    const seat = (index: number, accepted: boolean, standby: bigint | null) => ({
      ...{ index, node: { id: String(nodes[index]?.nodeId) }, powerCu: "1000", accepted, billed: index === 0 },
      standbyUsd6: standby === null ? null : String(standby),
    });
    const escrowedUsd6 = maxAmountUsd6({ workCums: task.workCums, priceUsd6PerGcums, backups: 3 });
    assert.deepEqual(indexed, {
      status: "Settled",
      assigner: chain.account(1).address.toLowerCase(),
      maxAmountUsd6: String(escrowedUsd6),
      seats: [seat(0, true, null), seat(1, true, each), seat(2, true, each), seat(3, false, null)],
      bill: {
        amountUsd6: String(amountUsd6),
        standbyUsd6: String(2n * each),
        totalUsd6: String(amountUsd6 + 2n * each),
        refundUsd6: String(escrowedUsd6 - amountUsd6 - 2n * each),
        durationMs: "1234",
        powerCu: "1000",
        state: "Standing",
        payout: { id: ownerOf(nodes[0]) },
        standby: [1, 2].map((index) => ({
          ...{ node: { id: String(nodes[index]?.nodeId) }, amountUsd6: String(each) },
          payout: { id: ownerOf(nodes[index]) },
        })),
      },
    });
  });

  it("keeps the seats of each assignment, with who failed and who took over", async () => {
    const task = await postTask(chain, { payerIndex, backups: 1 });
    await assignTask(chain, { taskId: task.taskId, nodeIds: nodeIdsOf(nodes.slice(0, 2)) });
    await chain.increaseTime(limits.acceptWindowS + 1);
    await assignTask(chain, { taskId: task.taskId, nodeIds: nodeIdsOf(nodes.slice(2)) });
    for (const node of nodes.slice(2)) await accept(task, node, 2);
    await settle(task, { node: nodes[2], assignment: 2, status: receiptStatus.runnerCrashed });
    await settle(task, { node: nodes[3], assignment: 2, attempt: 1 });

    const seats = await eventually(async () => {
      const fields = "assignment index node { id } accepted failure billed standbyUsd6";
      const { task: found } = await query<{ task: { status: string; seats: object[]; allSeats: object[] } | null }>(
        `{ task(id: "${task.taskId}") { status seats(orderBy: index) { ${fields} } allSeats(orderBy: id) { ${fields} } } }`,
      );
      return found?.status === "Settled" ? found : undefined;
    });
    const seat = (assignment: number, index: number, nodeIndex: number, what: object) => ({
      ...{ assignment, index, node: { id: String(nodes[nodeIndex]?.nodeId) }, accepted: assignment === 2 },
      ...{ failure: null, billed: false, standbyUsd6: null, ...what },
    });
    const newest = [seat(2, 0, 2, { failure: "RunnerCrashed" }), seat(2, 1, 3, { billed: true })];
    assert.deepEqual(seats.seats, newest);
    assert.deepEqual(seats.allSeats, [seat(1, 0, 0, {}), seat(1, 1, 1, {}), ...newest]);
  });

  it("holds all words that a call brings: what it tells of a task demands its output", async () => {
    const [delivered, forfeited] = [await settledTask(), await settledTask()];
    for (const task of [delivered, forfeited]) await callWithIndexedWords("demandOutput", task, payerIndex);
    await callWithIndexedWords("attestOutput", delivered, keeperIndex);
    await chain.increaseTime(61);
    await callWithIndexedWords("closeDemand", forfeited, 5);

    const demands = await eventually(async () => {
      const { tasks } = await query<{ tasks: IndexedDemand[] }>(
        `{ tasks(where: { id_in: ["${delivered.taskId}", "${forfeited.taskId}"] }) { id status
          bill { state amountUsd6 standbyUsd6 totalUsd6 } demand { status amountUsd6 bondUsd6 attestations attested { keeper { id } } } } }`,
      );
      return tasks.some(({ status }) => status === "Forfeited") ? tasks : undefined;
    });
    const of = (task: TestTask): IndexedDemand | undefined => demands.find(({ id }) => id === task.taskId);
    const amountUsd6 = of(delivered)?.bill.amountUsd6 ?? "";
    const bondUsd6 = String(await demandBondOf(BigInt(amountUsd6)));
    const bill = { amountUsd6, standbyUsd6: "0" };
    const demand = { amountUsd6, bondUsd6 };
    assert.deepEqual(of(delivered), {
      ...{ id: delivered.taskId, status: "Delivered", bill: { state: "Delivered", ...bill, totalUsd6: amountUsd6 } },
      demand: {
        status: "Delivered",
        ...demand,
        attestations: 1,
        attested: [{ keeper: { id: addressOf(keeperIndex) } }],
      },
    });
    assert.deepEqual(of(forfeited), {
      ...{ id: forfeited.taskId, status: "Forfeited", bill: { state: "Forfeited", ...bill, totalUsd6: "0" } },
      demand: { status: "Forfeited", ...demand, attestations: 0, attested: [] },
    });
  });

  it("has totals that are the sums of the chain's events, forfeited bills taken out everywhere (INV-3)", async () => {
    const events = await chain.client.getContractEvents({ ...escrow(), fromBlock: 0n, strict: true });
    const sum = (name: string, field: string, nodeId?: number): bigint =>
      events
        .filter((event) => event.eventName === name && (nodeId === undefined || argOf(event, "nodeId") === nodeId))
        .reduce((total, event) => total + (argOf(event, field) as bigint), 0n);
    const netUsd6 = (nodeId?: number): bigint =>
      sum("TaskSettled", "amountUsd6", nodeId) - sum("OutputForfeited", "amountUsd6", nodeId);
    const found = await query<{
      network: Record<string, string>;
      dailyTotals: Record<string, string>[];
      payerDays: Record<string, string>[];
      nodes: { nodeId: string; earnedUsd6: string; standbyUsd6: string }[];
      bills: { totalUsd6: string }[];
      account: Record<string, string>;
    }>(`{ network(id: "ngpu") { settledUsd6 standbyUsd6 forfeitedUsd6 tasksSettled tasksForfeited reservedUsd6 }
      dailyTotals { settledUsd6 } payerDays { settledUsd6 bondsLostUsd6 } nodes { nodeId earnedUsd6 standbyUsd6 } bills { totalUsd6 }
      account(id: "${addressOf(payerIndex)}") { spentUsd6 bondsLostUsd6 heldUsd6 } }`);
    const standby = sum("TaskStandbyPaid", "amountUsd6");
    const total = netUsd6() + standby;
    const bonds = sum("OutputDelivered", "bondUsd6");
    assert.ok(
      standby > 0n && bonds > 0n && sum("OutputForfeited", "amountUsd6") > 0n,
      "sums of nothing would prove nothing",
    );
    assert.deepEqual(found.network, {
      settledUsd6: String(total),
      standbyUsd6: String(standby),
      forfeitedUsd6: String(sum("OutputForfeited", "amountUsd6")),
      tasksSettled: String(events.filter(({ eventName }) => eventName === "TaskSettled").length),
      tasksForfeited: "1",
      reservedUsd6: "0",
    });
    const added = (rows: Record<string, string>[], field: string): bigint =>
      rows.reduce((all, row) => all + BigInt(row[field] ?? 0), 0n);
    assert.equal(added(found.dailyTotals, "settledUsd6"), total);
    assert.equal(added(found.payerDays, "settledUsd6"), total);
    assert.equal(added(found.payerDays, "bondsLostUsd6"), bonds);
    assert.equal(added(found.bills, "totalUsd6"), total);
    assert.deepEqual(found.account, { spentUsd6: String(total), bondsLostUsd6: String(bonds), heldUsd6: "0" });
    for (const { nodeId, earnedUsd6, standbyUsd6: stoodBy } of found.nodes) {
      const id = Number(nodeId);
      assert.equal(BigInt(stoodBy), sum("TaskStandbyPaid", "amountUsd6", id));
      assert.equal(BigInt(earnedUsd6), netUsd6(id) + BigInt(stoodBy));
    }
  });

  it("holds the same balances and stake as the contracts", async () => {
    const blockNumber = await chain.client.getBlockNumber({ cacheTime: 0 });
    await eventually(async () => {
      const { _meta } = await query<{ _meta: { block: { number: number } } }>("{ _meta { block { number } } }");
      return BigInt(_meta.block.number) >= blockNumber ? true : undefined;
    });
    // The treasury has the bond of the demand that was answered; the keeper that answered it has nothing.
    for (const address of [payerIndex, treasuryIndex, 3, 4, 5, 6].map(addressOf)) {
      const account = await chain.client.readContract({
        address: chain.deployment.paymentVault,
        abi: paymentVaultAbi,
        functionName: "accountOf",
        args: [address],
      });
      const { account: indexed } = await query<{ account: Record<string, string> }>(
        `{ account(id: "${address}") { availableUsd6 reservedUsd6 creditUsd6 } }`,
      );
      assert.deepEqual(indexed, {
        availableUsd6: String(account.availableUsd6),
        reservedUsd6: String(account.reservedUsd6),
        creditUsd6: String(account.creditUsd6),
      });
    }
    const stake = await chain.client.readContract({
      address: chain.deployment.stakeVault,
      abi: stakeVaultAbi,
      functionName: "stakeOf",
      args: [nodes[0].nodeId],
    });
    const { node } = await query<{ node: { stakedWei: string; owner: string } }>(
      `{ node(id: "${nodes[0].nodeId}") { stakedWei owner } }`,
    );
    assert.deepEqual(node, { stakedWei: String(stake.stakedWei), owner: ownerOf(nodes[0]) });
  });

  it("listens on loopback alone, unless it says that it is exposed", async () => {
    const own = new Set(Object.values(ports).map((port) => port.toString(16).toUpperCase().padStart(4, "0")));
    const tables = await Promise.all(["/proc/net/tcp", "/proc/net/tcp6"].map((file) => readFile(file, "utf8")));
    const open = tables
      .flatMap((table) => table.split("\n").slice(1))
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local = "", , state]) => state === "0A" && own.has(local.split(":")[1] ?? ""))
      .map(([, local = ""]) => local.split(":")[0]);
    const loopback = "0100007F";
    assert.ok(open.includes(loopback), "the ports for queries and Postgres are on loopback");
    assert.equal(
      open.some((address) => address !== loopback),
      index.exposed,
    );
  });

  function escrow() {
    return { address: chain.deployment.taskEscrow, abi: taskEscrowAbi } as const;
  }

  async function accept(task: TestTask, node: TestNode, assignment = 1): Promise<void> {
    const { taskId, inputCommitment } = task;
    const message = { taskId, assignment, nodeId: node.nodeId, inputCommitment, timeMs: 1_764_500_000_000n };
    const { signature } = await signMessage({ kind: "accept", message, context: context(), signer: node.operator });
    const { terms, standing } = await taskOf(chain, taskId);
    const args = [terms, standing, message, signature] as const;
    await chain.write({ account: chain.account(1), ...escrow(), functionName: "accept", args });
  }

  async function settle(
    task: TestTask,
    receipt: { node: TestNode; durationMs?: number; assignment?: number; attempt?: number; status?: number },
  ): Promise<void> {
    const { node, durationMs = 1_000, assignment = 1, attempt = 0, status = receiptStatus.succeeded } = receipt;
    const { taskId, modelId, inputCommitment } = task;
    const outputs = {
      outputCommitment: keccak256(toBytes("output")),
      outputCiphertext: keccak256(toBytes("sealed output")),
    };
    const what = { taskId, assignment, attempt, nodeId: node.nodeId, modelId, inputCommitment, ...outputs };
    const message = { ...what, slot: 3, powerCu: 1_000, startMs: 1_764_500_000_000n, durationMs, status };
    await settleTask(chain, await signMessage({ kind: "receipt", message, context: context(), signer: node.operator }));
  }

  async function settledTask(): Promise<TestTask> {
    const task = await postTask(chain, { payerIndex, backups: 0 });
    await assignTask(chain, { taskId: task.taskId, nodeIds: nodeIdsOf(nodes.slice(0, 1)) });
    await accept(task, nodes[0]);
    await settle(task, { node: nodes[0] });
    return task;
  }

  /** The index is the only source of the words here; the contract refuses others. */
  async function callWithIndexedWords(
    functionName: "demandOutput" | "attestOutput" | "closeDemand",
    { taskId }: TestTask,
    accountIndex: number,
  ): Promise<void> {
    const task = await eventually(async () => {
      const { task: found } = await query<{ task: IndexedWords | null }>(
        `{ task(id: "${taskId}") { payer { id } postedAt deadline backups workCums priceUsd6PerGcums stakeWeiPerUsd6 contentHash
          bill { node { id } payout { id } amountUsd6 receiptHash outputCiphertext } } }`,
      );
      return found?.bill ? found : undefined;
    });
    const terms = {
      ...{ payer: task.payer.id, postedAt: Number(task.postedAt), deadline: Number(task.deadline) },
      ...{ backups: task.backups, workCums: BigInt(task.workCums), priceUsd6PerGcums: BigInt(task.priceUsd6PerGcums) },
      ...{ stakeWeiPerUsd6: BigInt(task.stakeWeiPerUsd6), contentHash: task.contentHash },
    };
    const { node, payout, amountUsd6, receiptHash, outputCiphertext } = task.bill;
    const billed = { nodeId: Number(node.id), payout: payout.id, amountUsd6: BigInt(amountUsd6) };
    const args = [taskId, terms, { ...billed, receiptHash, outputCiphertext }] as const;
    await chain.write({ account: chain.account(accountIndex), ...escrow(), functionName, args });
  }

  async function bondKeeper(): Promise<void> {
    const bonds = { address: chain.deployment.keeperBonds, abi: keeperBondsAbi } as const;
    const token = { address: chain.deployment.ngpuToken, abi: ngpuTokenAbi } as const;
    const keeper = chain.account(keeperIndex);
    const bondWei = 1_000n * 10n ** 18n;
    await chain.write({
      account: chain.account(0),
      ...token,
      functionName: "transfer",
      args: [keeper.address, bondWei],
    });
    await chain.write({ account: keeper, ...token, functionName: "approve", args: [bonds.address, bondWei] });
    await chain.write({ account: keeper, ...bonds, functionName: "bond", args: [bondWei] });
  }

  function demandBondOf(amountUsd6: bigint): Promise<bigint> {
    return chain.client.readContract({ ...escrow(), functionName: "demandBondOf", args: [amountUsd6] });
  }

  function context() {
    return { chainId: chain.chainId, verifyingContract: chain.deployment.taskEscrow };
  }

  function addressOf(index: number): Address {
    return chain.account(index).address.toLowerCase() as Address;
  }

  async function query<T>(text: string): Promise<T> {
    const response = await fetch(index.queryUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: text }),
    });
    const { data, errors } = (await response.json()) as { data?: T; errors?: unknown };
    assert.ok(data, JSON.stringify(errors));
    return data;
  }
});

function nodeIdsOf(nodes: readonly TestNode[]): number[] {
  return nodes.map(({ nodeId }) => nodeId);
}

function ownerOf(node: TestNode | undefined): string {
  return node?.owner.address.toLowerCase() ?? "";
}

function argOf(event: { args: object }, name: string): unknown {
  return (event.args as Record<string, unknown>)[name];
}

async function eventually<T>(probe: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + visibleWithinMs;
  for (;;) {
    const found = await probe();
    if (found !== undefined) return found;
    assert.ok(performance.now() < deadline, `not visible within ${visibleWithinMs} ms`);
    await sleep(10);
  }
}

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
import { paymentVaultAbi } from "@ngpu/protocol/generated/abi/paymentVault";
import { stakeVaultAbi } from "@ngpu/protocol/generated/abi/stakeVault";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { signMessage } from "@ngpu/protocol/signed";
import { keccak256, toBytes } from "viem";
import { buildSubgraph } from "../../scripts/generate/subgraph.ts";
import { findGnd } from "../../scripts/stack/findGnd.ts";
import { startGraphNode, type GraphNode } from "../../scripts/stack/graphNode.ts";
import { startIpfsStub, type IpfsStub } from "../../scripts/stack/ipfsStub.ts";
import { freePorts, type StackPorts } from "../../scripts/stack/ports.ts";
import { startPostgres, type Postgres } from "../../scripts/stack/postgres.ts";
import { startTestChain, type TestChain } from "../harness/chain.ts";
import { registerNode, type TestNode } from "../harness/nodes.ts";
import { assignTask, postTask, type TestTask } from "../harness/tasks.ts";

const visibleWithinMs = 2_000;
const payerIndex = 2;

interface IndexedTask {
  status: string;
  bill: null | { amountUsd6: string; refundUsd6: string; durationMs: string; powerCu: string; payout: { id: string } };
}

describe("the local index", { skip: findGnd() ? false : "no graph-node for this platform" }, () => {
  let chain: TestChain;
  let scratch: string;
  let ports: StackPorts;
  let postgres: Postgres;
  let ipfs: IpfsStub;
  let index: GraphNode;
  let primary: TestNode;
  let backup: TestNode;

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
    primary = await registerNode(chain, { ownerIndex: 3 });
    backup = await registerNode(chain, { ownerIndex: 4 });
  });
  after(async () => {
    await index?.stop();
    await ipfs?.stop();
    await postgres?.stop();
    await chain?.close();
    await rm(scratch, { recursive: true, force: true });
  });

  it("shows a settled task and its bill soon after the block", async (context) => {
    const task = await postTask(chain, { payerIndex });
    await assignTask(chain, { taskId: task.taskId, nodeIds: [primary.nodeId, backup.nodeId] });
    await settle(task, 1_234);
    const settledAt = performance.now();

    const indexed = await eventually(async () => {
      const { task: found } = await query<{ task: IndexedTask | null }>(
        `{ task(id: "${task.taskId}") { status bill { amountUsd6 refundUsd6 durationMs powerCu payout { id } } } }`,
      );
      return found?.bill ? found : undefined;
    });
    context.diagnostic(`bill visible ${Math.round(performance.now() - settledAt)} ms after its receipt was mined`);

    const { maxAmountUsd6, priceUsd6PerGcums } = await chain.client.readContract({
      ...escrow(),
      functionName: "task",
      args: [task.taskId],
    });
    const amountUsd6 = (1_000n * 1_234n * priceUsd6PerGcums) / 1_000_000_000n;
    assert.deepEqual(indexed, {
      status: "Settled",
      bill: {
        amountUsd6: String(amountUsd6),
        refundUsd6: String(maxAmountUsd6 - amountUsd6),
        durationMs: "1234",
        powerCu: "1000",
        payout: { id: primary.owner.address.toLowerCase() },
      },
    });
  });

  it("holds the same balances and stake as the contracts", async () => {
    const blockNumber = await chain.client.getBlockNumber({ cacheTime: 0 });
    await eventually(async () => {
      const { _meta } = await query<{ _meta: { block: { number: number } } }>("{ _meta { block { number } } }");
      return BigInt(_meta.block.number) >= blockNumber ? true : undefined;
    });
    for (const address of [chain.account(payerIndex).address, primary.owner.address]) {
      const account = await chain.client.readContract({
        address: chain.deployment.paymentVault,
        abi: paymentVaultAbi,
        functionName: "accountOf",
        args: [address],
      });
      const { account: indexed } = await query<{ account: Record<string, string> }>(
        `{ account(id: "${address.toLowerCase()}") { availableUsd6 reservedUsd6 creditUsd6 } }`,
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
      args: [primary.nodeId],
    });
    const { node } = await query<{ node: { stakedWei: string; owner: string } }>(
      `{ node(id: "${primary.nodeId}") { stakedWei owner } }`,
    );
    assert.deepEqual(node, { stakedWei: String(stake.stakedWei), owner: primary.owner.address.toLowerCase() });
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
    assert.equal(open.some((address) => address !== loopback), index.exposed);
  });

  function escrow() {
    return { address: chain.deployment.taskEscrow, abi: taskEscrowAbi } as const;
  }

  async function settle(task: TestTask, durationMs: number): Promise<void> {
    const message = {
      taskId: task.taskId,
      assignment: 1,
      attempt: 0,
      nodeId: primary.nodeId,
      modelId: task.modelId,
      inputCommitment: task.inputCommitment,
      outputCommitment: keccak256(toBytes("output")),
      outputCiphertext: keccak256(toBytes("sealed output")),
      slot: 0,
      powerCu: 1_000,
      startMs: 1_764_500_000_000n,
      durationMs,
      status: 0,
    };
    const context = { chainId: chain.chainId, verifyingContract: chain.deployment.taskEscrow };
    const { signature } = await signMessage({ kind: "receipt", message, context, signer: primary.operator });
    await chain.write({ account: chain.account(1), ...escrow(), functionName: "settle", args: [message, signature] });
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

async function eventually<T>(probe: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + visibleWithinMs;
  for (;;) {
    const found = await probe();
    if (found !== undefined) return found;
    assert.ok(performance.now() < deadline, `not visible within ${visibleWithinMs} ms`);
    await sleep(10);
  }
}

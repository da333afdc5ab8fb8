/** The transaction lane against a real chain whose mining the test controls. */
import type { ChainAction } from "@ngpu/keeper/keeper/classifyRevert";
import { taskStatus } from "@ngpu/protocol/taskStatus";
import { createTransactionLane, type Outcome, type TransactionLane } from "@ngpu/keeper/keeper/transactionLane";
import { chainOf } from "@ngpu/protocol/service/chain";
import { systemClock } from "@ngpu/protocol/service/clock";
import type { Log } from "@ngpu/protocol/service/log";
import { expect } from "chai";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { createWalletClient, http, toHex, zeroHash, type Hex } from "viem";
import { startTestChain, type TestChain } from "../harness/chain.ts";
import { registerNode, type TestNode } from "../harness/nodes.ts";
import { testLog } from "../harness/services.ts";
import { stateOf, taskOf } from "../harness/taskOf.ts";
import { postTask } from "../harness/tasks.ts";
import { until } from "../harness/until.ts";
import { aReceipt, anAccept, anAssignedTask } from "./world.ts";

describe("transaction lane", () => {
  let chain: TestChain;
  let nodes: [TestNode, TestNode];
  let lane: TransactionLane;
  let outcomes: Outcome[];
  let kinds: ChainAction["kind"][];

  before(async () => {
    chain = await startTestChain();
    nodes = [await registerNode(chain), await registerNode(chain)];
  });

  after(() => chain.close());

  beforeEach(() => {
    outcomes = [];
    kinds = [];
    lane = createLane(outcomes);
  });

  afterEach(async () => {
    await lane.stop();
    await chain.setAutomine(true);
  });

  function createLane(into: Outcome[], log: Log = testLog): TransactionLane {
    return createTransactionLane({
      chain: chain.client,
      wallet: createWalletClient({
        account: chain.account(1),
        chain: chainOf(chain.chainId, chain.rpcUrl),
        transport: http(chain.rpcUrl),
      }),
      escrow: chain.deployment.taskEscrow,
      settlement: chain.deployment.sessionSettlement,
      clock: systemClock,
      log,
      onOutcome: ({ kind }, outcome) => {
        kinds.push(kind);
        into.push(outcome);
      },
      timing: { bumpAfterMs: 300, receiptEveryMs: 20, firstBackOffMs: 60_000 },
    });
  }

  async function anAssign(): Promise<ChainAction> {
    const { taskId } = await postTask(chain);
    const { terms, standing } = await taskOf(chain, taskId);
    return { kind: "assign", taskId, terms, standing, nodeIds: [nodes[0].nodeId, nodes[1].nodeId] };
  }

  async function statusOf(taskId: Hex): Promise<number> {
    return (await stateOf(chain, taskId)).status;
  }

  function pendingHashes(): Promise<readonly Hex[]> {
    return chain.client.getBlock({ blockTag: "pending" }).then(({ transactions }) => transactions);
  }

  const outcome = (count = 1): Promise<Outcome[]> => until("an outcome", () => outcomes.length >= count && outcomes);

  it("sends, waits and says that it is done", async () => {
    const action = await anAssign();
    expect(lane.submit(action)).to.equal(true);
    expect(await outcome()).to.deep.equal(["done"]);
    expect(await statusOf(action.taskId)).to.equal(taskStatus.assigned);
  });

  it("takes an action once while it is in flight", async () => {
    const action = await anAssign();
    expect([lane.submit(action), lane.submit(action)]).to.deep.equal([true, false]);
    await outcome();
    expect(outcomes).to.deep.equal(["done"]);
  });

  it("calls it benign when somebody else was first", async () => {
    const action = await anAssign();
    lane.submit(action);
    await outcome();
    lane.submit(action);
    expect(await outcome(2)).to.deep.equal(["done", "benign"]);
  });

  it("logs what the contract refuses in words, with its name", async () => {
    const warned: unknown[] = [];
    const log: Log = Object.assign(Object.create(testLog) as Log, { warn: (fields: unknown) => warned.push(fields) });
    const speaking = createLane(outcomes, log);
    const action = await anAssign();
    speaking.submit({ ...action, nodeIds: [99, nodes[1].nodeId] } as ChainAction);
    await outcome();
    expect(warned).to.deep.equal([
      {
        action: "assign",
        taskId: action.taskId,
        code: "TaskNodeNotEligible",
        meaning: "node-99 is not staked, is leaving or is paused.",
        cost: "No money was moved. If a transaction was sent, its gas is spent.",
        remedy: "Choose another node, or stake for it.",
      },
    ]);
    await speaking.stop();
  });

  it("backs off from what the contract refuses, and from nothing else", async () => {
    const action = await anAssign();
    const refused = { ...action, nodeIds: [99, nodes[1].nodeId] } as ChainAction;
    const other = await anAssign();
    lane.submit(refused);
    lane.submit(other);
    expect(await outcome(2)).to.deep.equal(["refused", "done"]);
    expect(lane.submit(refused)).to.equal(false);
  });

  it("spends nothing on relays of a task whose bill is waiting", async () => {
    const { taskId } = await postTask(chain);
    const { terms, standing } = anAssignedTask({ nodes: [1, 2, 3] });
    const words = { taskId, terms, standing };
    lane.submit(await anAssign());
    for (const nodeId of [1, 2, 3]) lane.submit({ kind: "accept", accept: anAccept(nodeId, { taskId }), ...words });
    lane.submit({ kind: "fail", receipt: aReceipt(1, { taskId, status: 1 }), ...words });
    lane.submit({ kind: "settle", receipt: aReceipt(2, { taskId }), ...words });
    await outcome(3);
    // The accept that is left is that of the backup behind: it stood by, and is paid only if it accepted on chain.
    expect(kinds).to.deep.equal(["assign", "accept", "settle"]);
  });

  it("pays more when a transaction is not mined, and finds it under any of its hashes", async () => {
    const action = await anAssign();
    await chain.setAutomine(false);
    lane.submit(action);
    const [first] = await until("a pending transaction", async () => {
      const hashes = await pendingHashes();
      return hashes.length > 0 && hashes;
    });
    const [second] = await until("its replacement", async () => {
      const hashes = await pendingHashes();
      return hashes[0] !== first && hashes;
    });
    expect(second).to.not.equal(undefined);
    await chain.mine(1);
    expect(await outcome()).to.deep.equal(["done"]);
    expect(await statusOf(action.taskId)).to.equal(taskStatus.assigned);
  });

  it("replaces what an earlier run of the keeper left unmined", async () => {
    const [left, next] = [await anAssign(), await anAssign()];
    await chain.setAutomine(false);
    lane.submit(left);
    await until("a pending transaction", async () => (await pendingHashes()).length > 0);
    await lane.stop();
    lane = createLane(outcomes);
    outcomes.length = 0;
    lane.submit(next);
    await until("the replacement is mined", async () => {
      await chain.mine(1);
      return outcomes.length > 0;
    });
    await until("one of both is done", async () => {
      lane.submit(next);
      await chain.mine(1);
      return (await statusOf(next.taskId)) === taskStatus.assigned;
    });
  });

  it("carries on after a reorganisation took its transaction back", async () => {
    const action = await anAssign();
    const before = await chain.snapshot();
    lane.submit(action);
    await outcome();
    await chain.revert(before);
    await chain.mine(3);
    expect(await statusOf(action.taskId)).to.equal(taskStatus.posted);
    lane.submit(action);
    expect(await outcome(2)).to.deep.equal(["done", "done"]);
    expect(await statusOf(action.taskId)).to.equal(taskStatus.assigned);
  });

  it("stops while a transaction is waiting", async () => {
    await chain.setAutomine(false);
    lane.submit(await anAssignWhileMining());
    await until("a pending transaction", async () => (await pendingHashes()).length > 0);
    await lane.stop();
    expect(lane.submit(await anAssignWhileMining())).to.equal(false);
  });

  async function anAssignWhileMining(): Promise<ChainAction> {
    await chain.setAutomine(true);
    const action = await anAssign();
    await chain.setAutomine(false);
    return action;
  }

  it("sends what tasks need before upkeep, of which one gets its turn among four, and refuses upkeep without its contracts", async () => {
    const order: string[] = [];
    const place = { chain: chainOf(chain.chainId, chain.rpcUrl), transport: http(chain.rpcUrl) };
    const { taskEscrow: escrow, sessionSettlement: settlement } = chain.deployment;
    const upkeepLane = createTransactionLane({
      ...{ chain: chain.client, wallet: createWalletClient({ account: chain.account(3), ...place }) },
      ...{ escrow, settlement, clock: systemClock, log: testLog, deployment: chain.deployment },
      onOutcome: ({ kind }) => order.push(kind),
      onUpkeepOutcome: ({ kind }, ended) => order.push(`${kind} ${ended}`),
    });
    const weightOf = (member: number) => ({ kind: "refreshWeight", pool: zeroHash, member }) as const;
    upkeepLane.submit({ kind: "refreshRate" });
    for (const member of [1, 2]) upkeepLane.submit(weightOf(member));
    // Nobody knows these tasks, so each is refused at once.
    const { terms, standing } = anAssignedTask({ nodes: [1, 2] });
    const words = { terms, standing };
    for (let task = 1; task <= 6; task += 1) {
      upkeepLane.submit({ kind: "expire", taskId: toHex(task, { size: 32 }), ...words });
    }
    await until("all have ended", () => order.length === 9);
    await upkeepLane.stop();
    const four = Array.from({ length: 4 }, () => "expire");
    expect(order).to.deep.equal(["refreshRate done", ...four, "refreshWeight done", "expire", "expire", "refreshWeight done"]);
    expect(lane.submit({ kind: "refreshRate" }), "a lane that does not know where to").to.equal(false);
  });
});

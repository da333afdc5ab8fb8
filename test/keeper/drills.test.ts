/** Drills with a real chain, gateway and keeper: a backup that signs failures loses quality, one that serves does not. */
import { openAuditLog } from "@ngpu/keeper/audits/auditLog";
import type { Canary } from "@ngpu/keeper/audits/canarySet";
import type { CanaryOutcome, PostCanary } from "@ngpu/keeper/audits/postCanary";
import type { Gateway } from "@ngpu/keeper/gateway/gateway";
import type { Keeper } from "@ngpu/keeper/keeper/keeper";
import { catalogue } from "@ngpu/protocol/catalogue";
import { scoreBoardAbi } from "@ngpu/protocol/generated/abi/scoreBoard";
import { taskIdOf } from "@ngpu/protocol/ids";
import { systemClock } from "@ngpu/protocol/service/clock";
import { taskStatus } from "@ngpu/protocol/taskStatus";
import { receiptStatus } from "@ngpu/protocol/typedData";
import { expect } from "chai";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { keccak256, stringToBytes, type Hex } from "viem";
import { generatePrivateKey } from "viem/accounts";
import { startTestChain, type TestChain } from "../harness/chain.ts";
import { registerNode } from "../harness/nodes.ts";
import { startTestGateway, startTestKeeper, testLog } from "../harness/services.ts";
import { stateOf, taskOf } from "../harness/taskOf.ts";
import { postTask, type TestTask } from "../harness/tasks.ts";
import { connectNode, type NodePeer } from "../harness/testNode.ts";
import { until } from "../harness/until.ts";

const [knownModel] = catalogue;
if (knownModel === undefined) throw new Error("the catalogue holds no model");
const expected = { schema: "ngpu.text/1", images: [] };
const payerIndex = 4;
const workCums = 2_000_000n;

describe("drills", () => {
  let chain: TestChain;
  let gateway: Gateway;
  let keeper: Keeper;
  let folder: string;
  let modelId: Hex;
  /** Tasks that are drills, in the order of their posts. */
  let posted: Hex[];

  before(async () => {
    chain = await startTestChain();
  });
  after(() => chain.close());

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "ngpu-drills-"));
    modelId = keccak256(stringToBytes(generatePrivateKey()));
    gateway = await startTestGateway(chain);
    posted = [];
  });
  afterEach(async () => {
    await keeper.stop();
    await gateway.close();
    rmSync(folder, { recursive: true });
  });

  /** Serves as a primary; as a backup that is asked it serves too, or signs a failure once `mayFail` resolves. */
  async function joinAs(mayFail?: Promise<void>): Promise<NodePeer & { tried: () => number }> {
    const peer = await connectNode({ chain, node: await registerNode(chain), gatewayUrl: gateway.url });
    await peer.announce([modelId]);
    peer.keepAlive(100);
    let tried = 0;
    const accepted = new Set<Hex>();
    void (async () => {
      while (peer.peer.socket.readyState === WebSocket.OPEN) {
        const dispatch = await peer.peer.next("dispatch").catch(() => undefined);
        if (dispatch === undefined) continue;
        const { taskId, assignment, attempt, role } = dispatch;
        const task = { taskId, modelId, inputCommitment: keccak256(stringToBytes("input commitment")) } as TestTask;
        if (!accepted.has(taskId)) await peer.accept(task, assignment);
        accepted.add(taskId);
        if (role === "backup") continue;
        if (attempt === 1) tried += 1;
        const isFailure = attempt === 1 && mayFail !== undefined;
        if (isFailure) await mayFail;
        await peer.receipt(task, { assignment, attempt, ...(isFailure ? { status: receiptStatus.modelFailed } : {}) });
      }
    })();
    return { ...peer, tried: () => tried };
  }

  const post: PostCanary = async ({ beforePost, signal }) => {
    const clientNonce = generatePrivateKey();
    const payer = chain.account(payerIndex).address;
    const taskId = taskIdOf({ chainId: chain.chainId, escrow: chain.deployment.taskEscrow, payer, clientNonce });
    await beforePost(taskId);
    await postTask(chain, { payerIndex, modelId, clientNonce, workCums });
    posted.push(taskId);
    for (;;) {
      if (signal.aborted) return undefined;
      const { status } = await stateOf(chain, taskId);
      if (status === taskStatus.refunded) return "refunded";
      if (status === taskStatus.settled) break;
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    const { settled } = await taskOf(chain, taskId);
    if (settled === undefined) throw new Error("settled without an event");
    const { transactionHash: txHash, blockNumber, args } = settled;
    return { taskId, bill: { ...args, txHash, blockNumber }, json: expected } satisfies CanaryOutcome;
  };

  /** `most`: drills that may be posted. */
  async function startAuditing(most: number): Promise<void> {
    const canary: Canary = { id: "a", ...knownModel, modelId, parts: [], declared: {}, workCums, expected } as Canary;
    keeper = startTestKeeper(chain, [gateway.url], {
      audits: {
        ...{ chain: chain.client, chainId: chain.chainId, deployment: chain.deployment, canaries: () => [canary] },
        // So many that some are always due.
        rules: { perDay: 1_000, budgetUsd6: 10n ** 9n, mostUses: most, drillPercent: 100 },
        ...{ seed: keccak256("0x5eed"), memory: await openAuditLog(join(folder, "canaries.log")), post },
        ...{ publish: () => Promise.resolve(), clock: systemClock, log: testLog, everyMs: 30 },
      },
    });
  }

  const scoreOf = (nodeId: number) =>
    chain.client.readContract({ address: chain.deployment.scoreBoard, abi: scoreBoardAbi, functionName: "scoreOf", args: [nodeId] });
  const rated = (nodeId: number) =>
    until("the node is rated", async () => {
      const score = await scoreOf(nodeId);
      return score.rated && score;
    }, 30_000);

  it("take quality from a backup that signs failures when it is asked, and nothing from one that serves", async () => {
    const honest = await joinAs();
    const empty = await joinAs(Promise.resolve());
    await startAuditing(8);
    // A quarter is what a newcomer has; a failed drill takes as much.
    expect((await rated(empty.nodeId)).qualityBps).to.equal(0);
    await until("the honest one was tried as well", () => honest.tried() > 0, 30_000);
    await until("its drill has ended", async () => {
      const ends = await Promise.all(posted.map((taskId) => taskOf(chain, taskId)));
      return ends.some(({ settled }) => settled?.args.nodeId === honest.nodeId && settled.args.attempt === 1);
    });
    await until("later drills have ended", async () => {
      const states = await Promise.all(posted.map((taskId) => stateOf(chain, taskId)));
      return posted.length > 2 && states.slice(0, -1).every(({ status }) => status === taskStatus.settled);
    });
    expect((await scoreOf(honest.nodeId)).rated, "an honest backup").to.equal(false);
  });

  it("are judged by the chain alone after a restart, and go on as drills", async () => {
    const letGo = Promise.withResolvers<void>();
    const nodes = [await joinAs(letGo.promise), await joinAs(letGo.promise)];
    await startAuditing(1);
    const tried = () => nodes.find((node) => node.tried() > 0);
    const backup = await until("a backup is asked", tried);
    await keeper.stop();
    await startAuditing(1);
    letGo.resolve();
    expect((await rated(backup.nodeId)).qualityBps).to.equal(0);
    const [taskId] = posted;
    if (taskId === undefined) throw new Error("nothing was posted");
    const { settled, nodeIds } = await taskOf(chain, taskId);
    expect(settled?.args).to.include({ attempt: 2, nodeId: nodeIds[0] });
    expect(posted, "no second one for it").to.have.length(1);
  });

  it("leave tasks of others alone", async () => {
    const nodes = [await joinAs(Promise.resolve()), await joinAs(Promise.resolve())];
    await startAuditing(0);
    const task = await postTask(chain, { modelId, workCums });
    await until("it is settled", async () => (await stateOf(chain, task.taskId)).status === taskStatus.settled);
    expect((await taskOf(chain, task.taskId)).settled?.args.attempt).to.equal(0);
    expect(nodes.map((node) => node.tried())).to.deep.equal([0, 0]);
  });
});

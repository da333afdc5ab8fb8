/**
 * The line on bad days: parts that are killed in the middle of a task, a chain that does not answer or lies, blocks
 * that are undone, and nobody left to serve. Every test ends in where the money is.
 */
import { after, before, beforeEach, describe, it } from "node:test";
import { codeOf } from "@ngpu/protocol/errors";
import { deployments } from "@ngpu/protocol/generated/deployments";
import { taskEscrowAbi } from "@ngpu/protocol/generated/abi/taskEscrow";
import { expect } from "chai";
import { BaseError, ContractFunctionRevertedError, createWalletClient, http, type Hex } from "viem";
import { hardhat } from "viem/chains";
import { localAccounts } from "../../scripts/stack/accounts.ts";
import { identityOf } from "../../scripts/stack/process/identity.ts";
import { runSampleTask, type SampleOutcome } from "../../scripts/stack/sampleTask.ts";
import { codeRejectedBy } from "../harness/codeRejectedBy.ts";
import { taskOf } from "../harness/taskOf.ts";
import { startBadLine, type BadLine, type Money } from "./support/badLine.ts";
import { markHistory, passTime } from "./support/chainHistory.ts";
import { booksOfSubgraph } from "./support/indexed.ts";
import { settlementOf, wealthOf } from "./support/ledger.ts";
import { postTask } from "./support/postTask.ts";
import type { Trouble } from "./support/troubledRpc.ts";
import { until } from "./support/until.ts";

const escrow = { address: deployments[31337].taskEscrow, abi: taskEscrowAbi } as const;
const payer = localAccounts.payer.account;
const stranger = localAccounts.newcomer.account;
const withinMs = 60_000;
/** Long enough to be hit in the middle of an execution. */
const images = 4;
const undoneBlocks = 3n;
/** How long a trouble lasts; NGPU_TROUBLE_S=60 makes each trouble last a minute. */
const troubleMs = Number(process.env.NGPU_TROUBLE_S ?? 8) * 1_000;

describe("the line on a bad day", () => {
  let line: BadLine;
  let money: Money;
  before(async () => {
    line = await startBadLine();
  });
  after(() => line?.stop());
  beforeEach(async () => {
    await line.allOnline();
    line.lost.length = 0;
    money = await line.money();
  });

  const stateOf = (taskId: Hex) => line.chain.readContract({ ...escrow, functionName: "stateOf", args: [taskId] });
  const assigned = (taskId: Hex) =>
    until("assignment", withinMs, async () => {
      const state = await stateOf(taskId);
      return state.assignment === 0 ? undefined : state;
    });
  const untilBlock = (block: bigint) =>
    until(`block ${block}`, withinMs, async () => ((await line.chain.getBlockNumber()) >= block ? true : undefined));

  /** Runs a task and does something once, as soon as its first progress was seen. */
  const disturbed = async (disturb: (nodeId: number) => Promise<void>): Promise<SampleOutcome> => {
    const failed = new AbortController();
    let disturbing: Promise<void> | undefined;
    const onProgress = (nodeId: number): void => {
      disturbing ??= disturb(nodeId);
      disturbing.catch(() => failed.abort());
    };
    const running = runSampleTask({ urls: line.stack.urls, payer, images, onProgress, signal: failed.signal });
    await running.catch(() => undefined);
    if (!disturbing) throw new Error("the task ended before any progress was seen");
    await disturbing;
    return running;
  };

  describe("a part is killed with -9 in the middle of a task and started again", () => {
    it("bills once when it is the gateway", async () => {
      const { taskId } = await disturbed(async () => {
        await line.stack.kill("gateway");
        await line.stack.restart("gateway");
      });
      await line.expectPaidOnce(money, [taskId]);
    });

    it("bills once when it is the keeper", async () => {
      const { taskId } = await disturbed(async () => {
        await line.stack.kill("keeper");
        await line.stack.restart("keeper");
      });
      await line.expectPaidOnce(money, [taskId]);
    });

    it("pays the primary that died with its receipt, which nobody had seen, and no other", async () => {
      const killed = Promise.withResolvers<{ nodeId: number; signature: Hex }>();
      const running = disturbed(async (nodeId) => {
        await line.stack.kill("keeper");
        line.links.cut();
        const node = line.nodeOf(nodeId);
        const signature = await until("a journaled receipt", withinMs, () => line.journaled(node));
        await node.service.kill();
        killed.resolve({ nodeId, signature });
        await line.stack.restartAgent(node);
        line.links.mend();
        await line.allOnline();
        await line.stack.restart("keeper");
      });
      running.catch(killed.reject);
      const { nodeId, signature } = await killed.promise;
      const { taskId, bill, receipt } = await running;
      expect(receipt.signature).to.equal(signature);
      expect(bill.nodeId).to.equal(nodeId);
      await line.expectPaidOnce(money, [taskId]);
    });

    it("bills once while graph-node, Postgres and dApp are down, and all three tell of it afterwards", async () => {
      const { urls } = line.stack;
      const answers = async (): Promise<true | undefined> => {
        const response = await fetch(`${urls.dapp}/billing`).catch(() => undefined);
        return response?.status === 200 ? true : undefined;
      };
      const { taskId } = await disturbed(() =>
        Promise.all([line.stack.kill("index"), line.stack.kill("dapp")]).then(() => undefined),
      );
      expect(await answers()).to.equal(undefined);
      expect(await codeRejectedBy(booksOfSubgraph(urls.subgraph ?? ""))).to.equal("SUBGRAPH_UNREACHABLE");
      await line.expectPaidOnce(money, [taskId]);
      await Promise.all([line.stack.restart("index"), line.stack.restart("dapp")]);
      expect(await answers()).to.equal(true);
      await line.expectIndexAgrees();
    });
  });

  describe("the services' way to the chain is disturbed for a while", () => {
    const troubles: [Trouble, string][] = [
      ["refuses", "ends every connection"],
      ["hangs", "takes questions and never answers"],
      ["slow", "answers five seconds late"],
      ["behind", "says that the chain is twenty blocks back"],
      ["torn", "says so every other time"],
    ];
    for (const [trouble, what] of troubles) {
      it(`bills once what was posted before and in the meantime, when it ${what}`, async () => {
        const parts = Object.entries(line.stack.pids()).filter(([, pid]) => identityOf(pid));
        const began = Promise.withResolvers<void>();
        const begin = (): void => void line.rpc.begin(trouble).then(began.resolve, began.reject);
        const first = runSampleTask({ urls: line.stack.urls, payer, images: 1, onPosted: begin });
        first.catch(began.reject);
        await began.promise;
        const second = runSampleTask({ urls: line.stack.urls, payer, images: 1 });
        second.catch(() => undefined);
        expect(await line.rpc.endAfter(troubleMs)).to.be.above(0);
        const taskIds = (await Promise.all([first, second])).map(({ taskId }) => taskId);
        await line.expectPaidOnce(money, taskIds);
        expect(parts.filter(([, pid]) => !identityOf(pid))).to.deep.equal([]);
        expect(line.lost).to.deep.equal([]);
      });
    }

    it("has the subgraph agree with the chain once all that is over", () => line.expectIndexAgrees());
  });

  describe("blocks are undone", () => {
    it("assigns anew after the assignment was undone, and bills once", async () => {
      const { urls } = line.stack;
      const task = await postTask({ chain: line.chain, urls, payer, images: 1, withinS: 300 });
      const mark = await markHistory(urls.rpc);
      const undone = await assigned(task.taskId);
      await untilBlock(mark.block + undoneBlocks);
      await mark.undo();
      const again = await assigned(task.taskId);
      expect(again.assignment).to.equal(undone.assignment);
      const following = new AbortController();
      const followed = task.follow({ signal: following.signal });
      try {
        await line.expectPaidOnce(money, [task.taskId]);
        await followed;
      } finally {
        following.abort();
      }
      await line.expectIndexAgrees();
    });

    it("bills once on the branch that stays when the bill was undone, and the subgraph forgets the other", async () => {
      const { urls } = line.stack;
      const mark = Promise.withResolvers<Awaited<ReturnType<typeof markHistory>>>();
      const { taskId, bill } = await disturbed(() => markHistory(urls.rpc).then(mark.resolve));
      const { block, undo } = await mark.promise;
      await untilBlock(block + undoneBlocks);
      expect(bill.blockNumber > block).to.equal(true);
      await line.expectIndexAgrees();
      const undone = await settlementOf(line.chain, taskId);
      const reader = readOn(() => booksOfSubgraph(urls.subgraph ?? ""));
      await undo();
      await line.expectPaidOnce(money, [taskId]);
      const stays = await settlementOf(line.chain, taskId);
      expect(stays?.blockHash).to.not.equal(undone?.blockHash);
      expect(stays?.args.amountUsd6).to.equal(bill.amountUsd6);
      await line.expectIndexAgrees();
      expect(await reader.stop()).to.deep.equal([]);
    });
  });

  describe("keeper and gateway are dead for good", () => {
    it("lets a stranger give everything back after the deadline, and nobody earlier", async () => {
      const { urls } = line.stack;
      const strangersBefore = await wealthOf(line.chain, stranger.address);
      const posted = Promise.withResolvers<Hex>();
      const refused = codeRejectedBy(
        runSampleTask({ urls, payer, images: 3 * images, onPosted: posted.resolve }).finally(() =>
          posted.reject(new Error("the task ended by itself")),
        ),
      );
      const taskId = await posted.promise;
      // An accepted task stays open longest: the node may deliver for a while after the deadline.
      await until("an accept on chain", withinMs, async () => (await stateOf(taskId)).acceptedMask || undefined);
      await Promise.all([line.stack.kill("gateway"), line.stack.kill("keeper")]);

      const { terms, standing } = await taskOf({ client: line.chain, deployment: deployments[31337] }, taskId);
      const args = [taskId, terms, standing] as const;
      const expire = { ...escrow, functionName: "expire", args, account: stranger } as const;
      expect(await revertOf(line.chain.simulateContract(expire))).to.equal("TaskNotExpired");
      const when = { ...escrow, functionName: "expirableAt", args: [taskId, terms] } as const;
      const expirableAtS = await line.chain.readContract(when);
      await passTime({ rpcUrl: urls.rpc, untilS: expirableAtS });
      const wallet = createWalletClient({ account: stranger, chain: hardhat, transport: http(urls.rpc) });
      const { request } = await line.chain.simulateContract(expire);
      await line.chain.waitForTransactionReceipt({ hash: await wallet.writeContract(request) });

      expect(await refused).to.equal("TASK_REFUNDED");
      await line.expectAllBack(money);
      expect(await wealthOf(line.chain, stranger.address)).to.equal(strangersBefore);
      expect(await settlementOf(line.chain, taskId)).to.equal(undefined);
      await line.expectIndexAgrees();
    });
  });
});

/** Asks one question after the other until it is stopped; resolves with the codes of those that failed. */
function readOn(ask: () => Promise<unknown>): { stop(): Promise<string[]> } {
  let isStopped = false;
  const reading = (async () => {
    const codes: string[] = [];
    while (!isStopped) await ask().catch((error: unknown) => codes.push(codeOf(error)));
    return codes;
  })();
  return {
    stop() {
      isStopped = true;
      return reading;
    },
  };
}

/** Name of the contract's error. */
async function revertOf(call: Promise<unknown>): Promise<string | undefined> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const reverted =
    error instanceof BaseError && error.walk((cause) => cause instanceof ContractFunctionRevertedError);
  return reverted instanceof ContractFunctionRevertedError ? reverted.data?.errorName : undefined;
}

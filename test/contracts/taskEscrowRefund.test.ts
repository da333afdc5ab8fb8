/** The direct rail, cancel and expire: contracts/TaskEscrow.sol. Every test on money says where the money ended. */
import { after, beforeEach, describe, it } from "node:test";
import { limits } from "@ngpu/protocol/limits";
import { taskStatus as status } from "@ngpu/protocol/taskStatus";
import { expect } from "chai";
import { zeroAddress } from "viem";
import { eventsOf } from "./support/chain.ts";
import { moved } from "./support/money.ts";
import { BILLED, createRail, ESCROWED, escrowParts, reason } from "./support/rail.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import { acceptTask, anAssignedTask, hashOf, postTask, settleTask } from "./support/tasks.ts";

const { world, alpha, payerMoney, payoutMoney, statusOf, expirableAt, expire, cancel } = await createRail();

describe("TaskEscrow", () => {
  beforeEach(() => world.restore());
  after(() => world.close());

  describe("cancel", () => {
    it("gives the payer of an unassigned task everything back", async () => {
      const { taskId } = await postTask(world);
      const before = await payerMoney();
      const receipt = await cancel(taskId);
      expect(eventsOf(receipt, world.escrow, "TaskCancelled")).to.deep.equal([
        { taskId, payer: world.actors.payer, refundUsd6: ESCROWED },
      ]);
      expect(moved(before, await payerMoney())).to.deep.equal({ availableUsd6: ESCROWED, reservedUsd6: -ESCROWED });
      expect(await statusOf(taskId)).to.equal(status.cancelled);
    });

    it("is the payer's alone, once, and only before the assignment", async () => {
      const { taskId } = await postTask(world);
      const { stranger } = world.actors;
      const byStranger = cancel(taskId, stranger);
      expect(await revertOf(byStranger)).to.deep.equal({ name: "TaskNotPayer", args: [taskId, stranger] });
      await cancel(taskId);
      expect(await codeOf(cancel(taskId))).to.equal("TaskWrongStatus");
      const assigned = await anAssignedTask(world, { clientNonce: hashOf("assigned") });
      expect(await codeOf(cancel(assigned.taskId))).to.equal("TaskWrongStatus");
      expect(await codeOf(cancel(hashOf("no task")))).to.equal("TaskWrongStatus");
    });
  });

  describe("expire", () => {
    const stages = [
      { stage: "posted", grace: 0, reach: () => postTask(world) },
      { stage: "assigned", grace: 0, reach: () => anAssignedTask(world) },
      {
        stage: "accepted",
        grace: limits.settleGraceS,
        reach: async () => {
          const posted = await anAssignedTask(world);
          await acceptTask(world, posted.taskId, alpha);
          return posted;
        },
      },
    ];
    for (const { stage, grace, reach } of stages) {
      it(`refunds a task that is only ${stage} from ${grace} seconds after its deadline, whoever asks`, async () => {
        const { taskId, post } = await reach();
        const before = await payerMoney();
        const from = post.deadline + grace;
        expect(await expirableAt(taskId)).to.equal(from);
        const early = expire(taskId, from - 1);
        expect(await revertOf(early)).to.deep.equal({ name: "TaskNotExpired", args: [taskId, from] });
        const receipt = await expire(taskId, from);
        expect(eventsOf(receipt, world.escrow, "TaskRefunded")).to.deep.equal([
          { taskId, payer: world.actors.payer, refundUsd6: ESCROWED, reason: reason.expired },
        ]);
        expect(moved(before, await payerMoney())).to.deep.equal({ availableUsd6: ESCROWED, reservedUsd6: -ESCROWED });
        expect(await expirableAt(taskId)).to.equal(0);
        expect(await codeOf(expire(taskId, from + 10))).to.equal("TaskWrongStatus");
      });
    }

    it("comes too late once the receipt is in, and the receipt too late once it has expired", async () => {
      const first = await anAssignedTask(world);
      const { deadline } = first.post;
      const second = await anAssignedTask(world, { clientNonce: hashOf("second"), deadline });
      await settleTask(world, first.taskId, alpha, { at: deadline + 1_000 });
      expect(await codeOf(expire(first.taskId, deadline + 1_001))).to.equal("TaskWrongStatus");
      await expire(second.taskId, deadline + 1_002);
      expect(await codeOf(settleTask(world, second.taskId, alpha))).to.equal("TaskWrongStatus");
      expect((await payoutMoney(alpha)).creditUsd6).to.equal(BILLED);
      expect(await payerMoney()).to.deep.include({ reservedUsd6: 0n, availableUsd6: 2n * ESCROWED - BILLED });
    });

    it("is refused for tasks that do not exist", async () => {
      expect(await codeOf(expire(hashOf("no task"), (await world.now()) + 10))).to.equal("TaskWrongStatus");
      expect(await expirableAt(hashOf("no task"))).to.equal(0);
    });
  });

  it("cannot be deployed without its parts, or with windows that are none", async () => {
    const parts = escrowParts(world);
    const deploy = (change: Partial<typeof parts>) =>
      world.deploy("TaskEscrow", world.escrow.abi, [{ ...parts, ...change }]);
    const addresses = ["authority", "registry", "paymentVault", "priceOracle", "stakeVault", "keeperBonds", "treasury"] as const;
    for (const missing of addresses) {
      expect(await codeOf(deploy({ [missing]: zeroAddress })), missing).to.equal("TaskZeroAddress");
    }
    const wrong = [
      { answerWindow: limits.minAnswerWindowS - 1 },
      { answerWindow: limits.maxAnswerWindowS + 1 },
      { quorum: 0 },
      { quorum: limits.maxQuorum + 1 },
      { minimumDemandBondUsd6: 0n },
    ];
    for (const change of wrong) {
      expect(await codeOf(deploy(change)), Object.keys(change).join()).to.equal("TaskWindowsInvalid");
    }
    await deploy({ answerWindow: limits.maxAnswerWindowS });
    const escrow = await deploy({ answerWindow: limits.minAnswerWindowS, quorum: limits.maxQuorum });
    const window = await world.publicClient.readContract({ ...escrow, functionName: "payerWindow" });
    const maturity = { ...world.paymentVault, functionName: "maturitySeconds" } as const;
    expect(window, "as long as a credit is immature").to.equal(await world.publicClient.readContract(maturity));
  });
});

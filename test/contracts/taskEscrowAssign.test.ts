/** The direct rail, assign and accept: contracts/TaskEscrow.sol. Every test on money says where the money ended. */
import { after, beforeEach, describe, it } from "node:test";
import { limits } from "@ngpu/protocol/limits";
import { assignedDigest } from "@ngpu/protocol/taskDigest";
import { receiptStatus } from "@ngpu/protocol/typedData";
import { taskStatus as status } from "@ngpu/protocol/taskStatus";
import { expect } from "chai";
import { eventsOf } from "./support/chain.ts";
import { moved } from "./support/money.ts";
import { BILLED, createRail, ESCROWED } from "./support/rail.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import {
  acceptTask,
  anAssignedTask,
  assignTask,
  hashOf,
  postTask,
  readTask,
  settleTask,
} from "./support/tasks.ts";
import { wordsOf } from "./support/taskWords.ts";
import { NGPU_WEI } from "./support/world.ts";

const { world, alpha, beta, gamma, payerMoney, payoutMoney, statusOf, assignNodes } = await createRail();

describe("TaskEscrow", () => {
  beforeEach(() => world.restore());
  after(() => world.close());

  describe("assign", () => {
    it("fixes who serves in which order, freezes each node's power and names the assigner", async () => {
      const { taskId } = await postTask(world);
      const receipt = await assignNodes(taskId, [gamma.nodeId, alpha.nodeId]);
      const seats = [
        { nodeId: gamma.nodeId, powerCu: 4_000 },
        { nodeId: alpha.nodeId, powerCu: 1_000 },
      ];
      const assigner = world.actors.keeper;
      expect(eventsOf(receipt, world.escrow, "TaskAssigned")).to.deep.equal([{ taskId, assigner, assignment: 1, seats }]);
      const { terms } = await wordsOf(world, taskId);
      expect(await readTask(world, taskId)).to.deep.equal({
        status: status.assigned,
        assignment: 1,
        acceptedMask: 0,
        failedMask: 0,
        changedAt: await world.now(),
        digest: assignedDigest(terms, { assigner, seats }),
      });
    });

    it("belongs to keepers for a minute and to anyone afterwards", async () => {
      const { taskId } = await postTask(world);
      const { changedAt } = await readTask(world, taskId);
      const { stranger } = world.actors;
      const opens = changedAt + limits.keeperWindowS;
      expect(await revertOf(assignTask(world, taskId, { from: stranger, at: opens - 1 }))).to.deep.equal({
        name: "TaskKeeperWindow",
        args: [taskId, opens],
      });
      await assignTask(world, taskId, { from: stranger, at: opens });
      expect(await statusOf(taskId)).to.equal(status.assigned);
    });

    it("is closed to a keeper whose role was revoked", async () => {
      const { taskId } = await postTask(world);
      const { deployer, keeper } = world.actors;
      await world.send(deployer, world.accessManager, "revokeRole", [1n, keeper]);
      expect(await codeOf(assignTask(world, taskId))).to.equal("TaskKeeperWindow");
    });

    it("refuses nodes that do not fit the task: too few, too many, one twice, nobody", async () => {
      const { taskId } = await postTask(world, { change: { backups: 2 } });
      const single = await postTask(world, { change: { backups: 0, clientNonce: hashOf("single") } });
      const wrong = [
        [taskId, []],
        [taskId, [alpha.nodeId, beta.nodeId]],
        [taskId, [alpha.nodeId, beta.nodeId, gamma.nodeId, 4]],
        [taskId, [alpha.nodeId, beta.nodeId, alpha.nodeId]],
        [taskId, [alpha.nodeId, beta.nodeId, beta.nodeId]],
        [taskId, [alpha.nodeId, beta.nodeId, 0]],
        [single.taskId, [alpha.nodeId, beta.nodeId]],
        [single.taskId, [0]],
      ] as const;
      for (const [id, nodeIds] of wrong) {
        expect(await revertOf(assignNodes(id, nodeIds))).to.deep.equal({
          name: "TaskInvalidSeats",
          args: [id, BigInt(nodeIds.length)],
        });
      }
      await assignNodes(single.taskId, [alpha.nodeId]);
      await assignNodes(taskId, [gamma.nodeId, beta.nodeId, alpha.nodeId]);
    });

    it("seats a primary and three backups at most, each with its own bit", async () => {
      const delta = await world.registerNode("delta", 0);
      await world.send(delta.owner, world.stakeVault, "stake", [delta.nodeId, 1_000n * NGPU_WEI]);
      const seated = [delta, gamma, beta, alpha];
      const { taskId } = await postTask(world, { change: { backups: 3 } });
      await assignTask(world, taskId, { nodes: seated });
      for (const [seat, node] of seated.entries()) {
        await acceptTask(world, taskId, node);
        expect((await readTask(world, taskId)).acceptedMask).to.equal(2 ** (seat + 1) - 1);
      }
    });

    it("refuses nodes that are unknown, draining or exiting", async () => {
      const { taskId } = await postTask(world);
      const { owner } = world.actors;
      const refused = async (nodeId: number) => {
        const revert = await revertOf(assignTask(world, taskId));
        expect(revert).to.deep.equal({ name: "TaskNodeNotEligible", args: [nodeId] });
      };
      expect(await codeOf(assignNodes(taskId, [alpha.nodeId, 99]))).to.equal("TaskNodeNotEligible");
      await world.send(owner, world.registry, "setDraining", [alpha.nodeId, true]);
      await refused(alpha.nodeId);
      await world.send(owner, world.registry, "setDraining", [alpha.nodeId, false]);
      await world.send(owner, world.stakeVault, "beginExit", [beta.nodeId, 950n * 10n ** 18n]);
      await refused(beta.nodeId);
    });

    it("ends with the deadline", async () => {
      const { taskId, post } = await postTask(world);
      const late = assignTask(world, taskId, { at: post.deadline });
      expect(await revertOf(late)).to.deep.equal({ name: "TaskPastDeadline", args: [taskId, post.deadline] });
      await world.restore();
      const again = await postTask(world);
      await assignTask(world, again.taskId, { at: again.post.deadline - 1 });
    });

    it("stands for 30 seconds; then, if nobody accepted, a new one replaces it and its messages", async () => {
      const { taskId } = await anAssignedTask(world);
      const { changedAt } = await readTask(world, taskId);
      const until = changedAt + limits.acceptWindowS;
      expect(await revertOf(assignTask(world, taskId, { at: until - 1 }))).to.deep.equal({
        name: "TaskAssignmentStanding",
        args: [taskId, until],
      });
      await settleTask(world, taskId, beta, { change: { status: receiptStatus.runnerCrashed } });
      await assignNodes(taskId, [beta.nodeId, gamma.nodeId]);
      expect(await readTask(world, taskId)).to.deep.include({ assignment: 2, failedMask: 0, acceptedMask: 0 });
      for (const act of [() => settleTask(world, taskId, beta), () => acceptTask(world, taskId, beta)]) {
        expect(await revertOf(act())).to.deep.equal({ name: "TaskAssignmentStale", args: [taskId, 1, 2] });
      }
      const outgoing = settleTask(world, taskId, alpha, { change: { assignment: 2 } });
      expect(await codeOf(outgoing)).to.equal("TaskNodeNotAssigned");
      const before = await payoutMoney(beta);
      await settleTask(world, taskId, beta, { change: { assignment: 2 } });
      expect(moved(before, await payoutMoney(beta))).to.deep.equal({ creditUsd6: BILLED });
    });

    it("may be replaced in the very second in which it no longer stands", async () => {
      const { taskId } = await anAssignedTask(world);
      const { changedAt } = await readTask(world, taskId);
      await assignTask(world, taskId, { at: changedAt + limits.acceptWindowS });
      expect(await readTask(world, taskId)).to.deep.include({ status: status.assigned, assignment: 2 });
    });

    it("is final once a node accepted", async () => {
      const { taskId, post } = await anAssignedTask(world);
      await acceptTask(world, taskId, beta);
      await world.increase(100);
      expect(await revertOf(assignTask(world, taskId))).to.deep.equal({
        name: "TaskAssignmentStanding",
        args: [taskId, post.deadline + limits.settleGraceS],
      });
    });

    it("happens eight times at most", async () => {
      const { taskId } = await anAssignedTask(world, { deadline: (await world.now()) + 3_600 });
      for (let assignment = 2; assignment <= limits.maxAssignments; assignment++) {
        await world.increase(limits.acceptWindowS);
        await assignTask(world, taskId);
      }
      await world.increase(limits.acceptWindowS);
      expect(await codeOf(assignTask(world, taskId))).to.equal("TaskTooManyAssignments");
      const before = await payerMoney();
      await settleTask(world, taskId, alpha, { change: { assignment: 8 } });
      expect(moved(before, await payerMoney())).to.deep.equal({ availableUsd6: ESCROWED - BILLED, reservedUsd6: -ESCROWED });
    });

    it("is refused for tasks that do not exist or have ended", async () => {
      expect(await revertOf(assignTask(world, hashOf("no task")))).to.deep.equal({
        name: "TaskWrongStatus",
        args: [hashOf("no task"), status.none],
      });
      const { taskId } = await anAssignedTask(world);
      await settleTask(world, taskId, alpha);
      expect(await codeOf(assignTask(world, taskId))).to.equal("TaskWrongStatus");
    });
  });

  describe("accept", () => {
    it("records each assigned node's accept once, whoever relays it", async () => {
      const { taskId } = await anAssignedTask(world);
      const receipt = await acceptTask(world, taskId, alpha);
      expect(eventsOf(receipt, world.escrow, "TaskAccepted")).to.deep.equal([
        { taskId, nodeId: alpha.nodeId, assignment: 1, timeMs: 1_800_000_000_000n },
      ]);
      expect(await readTask(world, taskId)).to.deep.include({ status: status.accepted, acceptedMask: 1 });
      await acceptTask(world, taskId, beta);
      expect(await readTask(world, taskId)).to.deep.include({ status: status.accepted, acceptedMask: 3 });
      for (const node of [alpha, beta]) {
        expect(await codeOf(acceptTask(world, taskId, node))).to.equal("TaskWrongStatus");
      }
    });

    it("counts from an assigned node's operator alone, and for its own assignment", async () => {
      const { taskId } = await anAssignedTask(world);
      expect(await revertOf(acceptTask(world, taskId, alpha, { signer: beta.operator }))).to.deep.equal({
        name: "TaskSignerInvalid",
        args: [taskId, alpha.nodeId, beta.operator.address],
      });
      expect(await codeOf(acceptTask(world, taskId, gamma))).to.equal("TaskNodeNotAssigned");
      const stale = acceptTask(world, taskId, alpha, { change: { assignment: 2 } });
      expect(await codeOf(stale)).to.equal("TaskAssignmentStale");
      const unassigned = await postTask(world, { change: { clientNonce: hashOf("unassigned") } });
      expect(await codeOf(acceptTask(world, unassigned.taskId, alpha))).to.equal("TaskWrongStatus");
    });

    it("ends with the deadline, and with the node's own failure", async () => {
      const { taskId, post } = await anAssignedTask(world);
      await settleTask(world, taskId, alpha, { change: { status: receiptStatus.inputRefused } });
      expect(await codeOf(acceptTask(world, taskId, alpha))).to.equal("TaskWrongStatus");
      expect(await revertOf(acceptTask(world, taskId, beta, { at: post.deadline }))).to.deep.equal({
        name: "TaskPastDeadline",
        args: [taskId, post.deadline],
      });
    });
  });
});

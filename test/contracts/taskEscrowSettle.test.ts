/** The direct rail, settle and failure: contracts/TaskEscrow.sol. Every test on money says where the money ended. */
import { after, beforeEach, describe, it } from "node:test";
import { receiptStatus, type Receipt } from "@ngpu/protocol/typedData";
import { taskStatus as status } from "@ngpu/protocol/taskStatus";
import { expect } from "chai";
import { size, slice } from "viem";
import { eventsOf } from "./support/chain.ts";
import { highS } from "./support/highS.ts";
import { moneyOf, moved, vaultBalance } from "./support/money.ts";
import { BILLED, createRail, ESCROWED, reason } from "./support/rail.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import {
  acceptTask,
  aReceipt,
  anAssignedTask,
  hashOf,
  postTask,
  readTask,
  settleTask,
  signReceipt,
} from "./support/tasks.ts";
import { wordsOf } from "./support/taskWords.ts";
import { FAR_EXPIRY, keyOf } from "./support/world.ts";

const { world, alpha, beta, gamma, payerMoney, payoutMoney, statusOf, assignNodes } = await createRail();

describe("TaskEscrow", () => {
  beforeEach(() => world.restore());
  after(() => world.close());

  describe("settle", () => {
    it("credits the bill to the node's payout and gives the payer the rest", async () => {
      const { taskId } = await anAssignedTask(world);
      const before = { payer: await payerMoney(), payout: await payoutMoney(alpha) };
      const receipt = await settleTask(world, taskId, alpha, { change: { durationMs: 999 } });
      expect(eventsOf(receipt, world.escrow, "TaskSettled")).to.deep.equal([
        {
          taskId,
          payer: world.actors.payer,
          nodeId: alpha.nodeId,
          payout: alpha.payout,
          assignment: 1,
          attempt: 0,
          slot: 0,
          powerCu: 1_000,
          durationMs: 999,
          startMs: 1_800_000_000_000n,
          priceUsd6PerGcums: 100_000n,
          amountUsd6: 99n,
          standbyUsd6: 0n,
          refundUsd6: ESCROWED - 99n,
          outputCommitment: hashOf("output commitment"),
          outputCiphertext: hashOf("output ciphertext"),
        },
      ]);
      expect(moved(before.payer, await payerMoney())).to.deep.equal({ reservedUsd6: -ESCROWED, availableUsd6: ESCROWED - 99n });
      expect(moved(before.payout, await payoutMoney(alpha))).to.deep.equal({ creditUsd6: 99n });
      expect(await vaultBalance(world)).to.equal(ESCROWED);
      expect(await statusOf(taskId)).to.equal(status.settled);
    });

    it("pays the backup just as well, with or without an accept, and at its own power", async () => {
      const { taskId } = await postTask(world);
      await assignNodes(taskId, [alpha.nodeId, gamma.nodeId]);
      await acceptTask(world, taskId, alpha);
      await settleTask(world, taskId, gamma, { change: { attempt: 1, durationMs: 250 } });
      expect((await payoutMoney(gamma)).creditUsd6).to.equal(BILLED);
      expect((await payoutMoney(alpha)).creditUsd6).to.equal(0n);
    });

    it("pays once, whichever node comes second or replays (INV-13)", async () => {
      const { taskId } = await anAssignedTask(world);
      await settleTask(world, taskId, beta);
      for (const node of [alpha, beta]) {
        const again = settleTask(world, taskId, node);
        expect(await revertOf(again)).to.deep.equal({ name: "TaskWrongStatus", args: [taskId, status.settled] });
      }
      expect((await payoutMoney(beta)).creditUsd6).to.equal(BILLED);
      expect((await payoutMoney(alpha)).creditUsd6).to.equal(0n);
      expect((await payerMoney()).reservedUsd6).to.equal(0n);
    });

    it("takes a duration up to the work cap and not a millisecond more", async () => {
      const { taskId } = await anAssignedTask(world);
      const above = settleTask(world, taskId, alpha, { change: { durationMs: 1_251 } });
      expect(await revertOf(above)).to.deep.equal({ name: "TaskDurationAboveCap", args: [taskId, 1_251, 1_250] });
      await settleTask(world, taskId, alpha, { change: { durationMs: 1_250 } });
      expect((await payoutMoney(alpha)).creditUsd6).to.equal(125n);
      expect(await payerMoney()).to.deep.include({ reservedUsd6: 0n, availableUsd6: ESCROWED - 125n });
    });

    it("bills nothing for a duration that rounds to nothing, and gives everything back", async () => {
      const { taskId } = await anAssignedTask(world);
      await settleTask(world, taskId, alpha, { change: { durationMs: 0 } });
      expect((await payoutMoney(alpha)).creditUsd6).to.equal(0n);
      expect(await payerMoney()).to.deep.include({ reservedUsd6: 0n, availableUsd6: ESCROWED });
    });

    it("pays to the payout address of the moment", async () => {
      const { taskId } = await anAssignedTask(world);
      const payout = keyOf("moved payout").address;
      await world.send(alpha.owner, world.registry, "setPayout", [alpha.nodeId, payout]);
      await settleTask(world, taskId, alpha);
      expect((await moneyOf(world, payout)).creditUsd6).to.equal(BILLED);
      expect((await payoutMoney(alpha)).creditUsd6).to.equal(0n);
    });

    it("takes what a retired operator key signed", async () => {
      const { taskId } = await anAssignedTask(world);
      const operator = keyOf("successor");
      const consent = await world.bind(alpha.owner, operator);
      const rotate = [alpha.nodeId, operator.address, FAR_EXPIRY, consent] as const;
      await world.send(alpha.owner, world.registry, "rotateOperator", rotate);
      await settleTask(world, taskId, alpha, { signer: alpha.operator });
      expect((await payoutMoney(alpha)).creditUsd6).to.equal(BILLED);
    });

    it("pays a node that drains or exits after it was assigned", async () => {
      const { taskId } = await anAssignedTask(world);
      await world.send(alpha.owner, world.registry, "setDraining", [alpha.nodeId, true]);
      await world.send(alpha.owner, world.stakeVault, "beginExit", [alpha.nodeId, 1_000n * 10n ** 18n]);
      await settleTask(world, taskId, alpha);
      expect((await payoutMoney(alpha)).creditUsd6).to.equal(BILLED);
    });

    it("breaks its signature with any flipped field", async () => {
      const { taskId } = await anAssignedTask(world);
      const { message, signature } = await signReceipt(world, aReceipt(taskId, alpha), alpha.operator);
      const { terms, standing } = await wordsOf(world, taskId);
      const flips: [Partial<Receipt>, string][] = [
        [{ taskId: hashOf("other task") }, "TaskWrongStatus"],
        [{ assignment: 2 }, "TaskAssignmentStale"],
        [{ attempt: 1 }, "TaskSignerInvalid"],
        [{ nodeId: beta.nodeId }, "TaskSignerInvalid"],
        [{ modelId: hashOf("other model") }, "TaskContentMismatch"],
        [{ inputCommitment: hashOf("other input") }, "TaskContentMismatch"],
        [{ outputCommitment: hashOf("other output") }, "TaskSignerInvalid"],
        [{ outputCiphertext: hashOf("other output") }, "TaskSignerInvalid"],
        [{ slot: 1 }, "TaskSignerInvalid"],
        [{ powerCu: 1_001 }, "TaskPowerMismatch"],
        [{ startMs: 1n }, "TaskSignerInvalid"],
        [{ durationMs: 1_001 }, "TaskSignerInvalid"],
        [{ status: receiptStatus.timedOut }, "TaskSignerInvalid"],
      ];
      expect(flips.length).to.equal(Object.keys(message).length);
      for (const [flip, code] of flips) {
        const act = world.send(world.actors.stranger, world.escrow, "settle", [
          terms,
          standing,
          { ...message, ...flip },
          signature,
        ]);
        expect(await codeOf(act), Object.keys(flip).join()).to.equal(code);
      }
      await world.send(world.actors.stranger, world.escrow, "settle", [terms, standing, message, signature]);
      expect((await payoutMoney(alpha)).creditUsd6).to.equal(BILLED);
    });

    it("refuses content and power that differ from what was posted and frozen, even signed", async () => {
      const { taskId } = await anAssignedTask(world);
      const signed: [Partial<Receipt>, string][] = [
        [{ modelId: hashOf("other model") }, "TaskContentMismatch"],
        [{ inputCommitment: hashOf("other input") }, "TaskContentMismatch"],
        [{ powerCu: 1_001 }, "TaskPowerMismatch"],
        [{ status: 5 }, "TaskReceiptStatusInvalid"],
      ];
      for (const [change, code] of signed) {
        expect(await codeOf(settleTask(world, taskId, alpha, { change }))).to.equal(code);
      }
    });

    it("refuses strangers' signatures, other domains, cut ones, and the high-s twin of a good one", async () => {
      const { taskId } = await anAssignedTask(world);
      const receipt = aReceipt(taskId, alpha);
      const { terms, standing } = await wordsOf(world, taskId);
      const good = await signReceipt(world, receipt, alpha.operator);
      const elsewhere = { ...world, escrow: { ...world.escrow, address: world.registry.address } };
      const bad = [
        (await signReceipt(world, receipt, keyOf("stranger"))).signature,
        (await signReceipt(world, receipt, beta.operator)).signature,
        (await signReceipt(elsewhere, receipt, alpha.operator)).signature,
        slice(good.signature, 0, size(good.signature) - 1),
        highS(good.signature),
        "0x" as const,
      ];
      for (const signature of bad) {
        const act = world.send(world.actors.stranger, world.escrow, "settle", [terms, standing, receipt, signature]);
        expect(await codeOf(act), signature).to.equal("TaskSignerInvalid");
      }
      expect((await payerMoney()).reservedUsd6).to.equal(ESCROWED);
    });

    it("knows no node 0, though no key was ever bound to it", async () => {
      const { taskId } = await postTask(world, { change: { backups: 0 } });
      await assignNodes(taskId, [alpha.nodeId]);
      const nobody = { ...alpha, nodeId: 0, powerCu: 0 };
      const act = settleTask(world, taskId, nobody, { signer: keyOf("nobody"), change: { durationMs: 0 } });
      expect(await codeOf(act)).to.equal("TaskNodeNotAssigned");
    });
  });

  describe("failure", () => {
    it("is recorded for one node and leaves the task to the other", async () => {
      const { taskId } = await anAssignedTask(world);
      const failed = { status: receiptStatus.modelFailed, durationMs: 4_000_000 };
      const receipt = await settleTask(world, taskId, alpha, { change: failed });
      expect(eventsOf(receipt, world.escrow, "TaskAttemptFailed")).to.deep.equal([
        { taskId, nodeId: alpha.nodeId, assignment: 1, attempt: 0, status: 2 },
      ]);
      expect(await readTask(world, taskId)).to.deep.include({ status: status.assigned, failedMask: 1 });
      expect((await payerMoney()).reservedUsd6).to.equal(ESCROWED);
      await settleTask(world, taskId, beta, { change: { attempt: 1 } });
      expect((await payoutMoney(beta)).creditUsd6).to.equal(BILLED);
    });

    it("is a node's last word under an assignment", async () => {
      const { taskId } = await anAssignedTask(world);
      await settleTask(world, taskId, alpha, { change: { status: receiptStatus.timedOut } });
      for (const said of [receiptStatus.timedOut, receiptStatus.succeeded]) {
        const act = settleTask(world, taskId, alpha, { change: { status: said, attempt: 1 } });
        expect(await revertOf(act)).to.deep.equal({ name: "TaskReceiptStatusInvalid", args: [taskId, said] });
      }
      expect((await payoutMoney(alpha)).creditUsd6).to.equal(0n);
    });

    it("of every assigned node gives the payer everything back at once", async () => {
      for (const backups of [0, 1]) {
        const before = await payerMoney();
        const { taskId } = await postTask(world, { change: { backups, clientNonce: hashOf(`failed ${backups}`) } });
        await assignNodes(taskId, backups === 0 ? [alpha.nodeId] : [alpha.nodeId, beta.nodeId]);
        const change = { status: receiptStatus.inputRefused };
        if (backups === 1) await settleTask(world, taskId, beta, { change });
        const receipt = await settleTask(world, taskId, alpha, { change });
        expect(eventsOf(receipt, world.escrow, "TaskRefunded")).to.deep.equal([
          { taskId, payer: world.actors.payer, refundUsd6: backups === 0 ? 125n : ESCROWED, reason: reason.failed },
        ]);
        expect(await statusOf(taskId)).to.equal(status.refunded);
        const sum = (money: typeof before) => money.walletUsd6 + money.availableUsd6;
        expect(sum(await payerMoney())).to.equal(sum(before));
        expect((await payerMoney()).reservedUsd6).to.equal(0n);
        expect(await codeOf(settleTask(world, taskId, alpha))).to.equal("TaskWrongStatus");
      }
    });
  });
});

/**
 * Keys and obligations of payers, and receipts between the rails, as deployed, one attack a test: what was tried, and that
 * the attacker is no better off and nobody else worse. Campaigns of several parties are in attacks.test.ts.
 */
import { after, before, beforeEach, describe, it } from "node:test";
import { sessionTaskIdOf } from "@ngpu/protocol/session/voucherChain";
import { expect } from "chai";
import { maxUint256 } from "viem";
import { eventsOf } from "./support/chain.ts";
import { CAP_USD6, createParties, WINDOW_S, type Parties } from "./support/parties.ts";
import { codeOf } from "./support/revert.ts";
import { bookOf, exec, fault, type Settlement } from "./support/sessions.ts";
import { aReceipt, assignTask, hashOf, postTask, settleTask, signReceipt } from "./support/tasks.ts";
import { keyOf, USD6 } from "./support/world.ts";

describe("Attacks by keys and across rails", () => {
  let world: Parties;
  before(async () => {
    world = await createParties();
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  const refusals = async (settlements: readonly Settlement[]) =>
    eventsOf(await world.settle(settlements), world.settlement, "VoucherRefused").map(({ code }) => code);
  const feeOf = (paidUsd6: bigint) => paidUsd6 / 100n;

  describe("keys and obligations", () => {
    it("key: takes no more than its cap, and nothing of the sessions that others opened", async () => {
      const { payer } = world.actors;
      const { alpha } = world.nodes;
      const thief = keyOf("thief");
      const key = world.accountAt(12);
      const { sessionId } = await world.aLane(alpha);
      await world.send(payer, world.paymentVault, "deposit", [payer, 50n * USD6]);
      await world.send(payer, world.paymentVault, "authorizeKey", [key, 5n * USD6, 2 ** 33]);
      const params = await world.anOpen({ spendCapUsd6: 5n * USD6, signer: thief.address });
      const stolen = { ...params, clientNonce: hashOf("stolen") };
      await world.send(key, world.settlement, "openFor", [payer, stolen]);
      const theirs = world.idOf(payer, stolen);
      await world.assign(theirs, world.own, { allotmentUsd6: 5n * USD6, from: key });
      await world.assign(sessionId, world.own, { allotmentUsd6: 90n * USD6, from: key });
      const books = [bookOf(theirs, world.own), bookOf(sessionId, world.own)];
      const bills = await Promise.all(books.map((book) => world.bill(book, [exec(2 ** 31 - 1)], { by: thief })));
      expect(await refusals(bills.map(({ settlement }) => settlement))).to.deep.equal([fault.signatureInvalid]);
      expect(await world.creditOf(world.own.payout)).to.equal(5n * USD6 - feeOf(5n * USD6));
      expect((await world.accountOf(payer)).availableUsd6).to.equal(45n * USD6);
      const again = { ...params, clientNonce: hashOf("again"), spendCapUsd6: 1n };
      expect(await codeOf(world.send(key, world.settlement, "openFor", [payer, again]))).to.equal(
        "PaymentKeyCapExceeded",
      );
      expect(await codeOf(world.send(key, world.settlement, "replaceSigner", [sessionId, thief.address]))).to.equal(
        "SessionNotAllowed",
      );
      await world.onSession("close", sessionId, { from: key });
      await world.increase(WINDOW_S);
      for (const node of [alpha, world.own]) await world.onLane("reclaimLane", sessionId, node);
      await world.onSession("finish", sessionId);
      expect((await world.accountOf(payer)).availableUsd6, "the closed session gave all back").to.equal(
        45n * USD6 + CAP_USD6,
      );
    });

    it("stranger: adds no obligation to anybody, ends none, and holds nobody's money in", async () => {
      const { payer, stranger } = world.actors;
      const { paymentVault } = world;
      for (const act of ["addObligation", "endObligation"] as const) {
        expect(await codeOf(world.send(stranger, paymentVault, act, [payer]))).to.equal("PaymentNotRail");
      }
      const params = await world.anOpen({ spendCapUsd6: 1n });
      expect(await codeOf(world.send(stranger, world.settlement, "openFor", [payer, params]))).to.equal(
        "PaymentKeyInvalid",
      );
      await world.send(stranger, world.usd, "approve", [paymentVault.address, maxUint256]);
      await world.send(world.actors.deployer, world.usd, "transfer", [stranger, 1n]);
      await world.send(stranger, paymentVault, "deposit", [payer, 1n]);
      await world.send(payer, paymentVault, "withdraw", [payer, 1n]);
    });

    it("key: sessions of dust delay the payer's other money by one thaw and no longer", async () => {
      const { payer } = world.actors;
      const key = world.accountAt(12);
      await world.send(payer, world.paymentVault, "deposit", [payer, 50n * USD6]);
      await world.send(payer, world.paymentVault, "authorizeKey", [key, 10n, 2 ** 33]);
      for (let i = 0; i < 10; i++) {
        const expiresAt = (await world.now()) + 80 * 86_400;
        const params = await world.anOpen({ spendCapUsd6: 1n, clientNonce: hashOf(`dust ${i}`), expiresAt });
        await world.send(key, world.settlement, "openFor", [payer, params]);
      }
      const rest = 50n * USD6 - 10n;
      expect(await codeOf(world.send(payer, world.paymentVault, "withdraw", [payer, rest]))).to.equal(
        "PaymentWithdrawalThaws",
      );
      const before = await world.walletOf(payer);
      await world.send(payer, world.paymentVault, "beginWithdrawal", [payer, rest]);
      await world.increase(WINDOW_S);
      await world.send(world.actors.stranger, world.paymentVault, "finishWithdrawal", [payer]);
      expect((await world.walletOf(payer)) - before).to.equal(rest);
    });
  });

  describe("between the rails", () => {
    it("node: a receipt of one rail is worth nothing on the other", async () => {
      const { alpha } = world.nodes;
      const { taskId } = await postTask(world, { change: { backups: 0 } });
      await assignTask(world, taskId, { nodes: [alpha] });
      const { sessionId } = await world.aLane(alpha);
      const sessionTask = sessionTaskIdOf({ sessionId, nodeId: alpha.nodeId, seq: 1n });
      expect(await codeOf(settleTask(world, sessionTask, alpha))).to.equal("TaskWrongStatus");
      const { message, signature } = await signReceipt(world, aReceipt(taskId, alpha), alpha.operator);
      const args = [sessionId, alpha.nodeId, [message], [signature]] as const;
      expect(await codeOf(world.send(alpha.owner, world.settlement, "claimFloor", args))).to.equal(
        "SessionReceiptInvalid",
      );
      await settleTask(world, taskId, alpha);
      expect(await world.creditOf(alpha.payout)).to.equal(100n);
    });

    it("node: one that gives itself a task that no keeper assigned bills its escrow at most", async () => {
      const { payer, stranger } = world.actors;
      const thief = await world.nodeOf(stranger, "thief");
      await world.send(payer, world.paymentVault, "deposit", [payer, 1_000n]);
      const { taskId } = await postTask(world, { change: { backups: 0 } });
      const assign = () => assignTask(world, taskId, { from: stranger, nodes: [thief] });
      expect(await codeOf(assign()), "not while a keeper may").to.equal("TaskKeeperWindow");
      await world.increase(60);
      await assign();
      const tooLong = settleTask(world, taskId, thief, { change: { durationMs: 1_251 } });
      expect(await codeOf(tooLong)).to.equal("TaskDurationAboveCap");
      await settleTask(world, taskId, thief, { change: { durationMs: 1_250 } });
      expect(await codeOf(settleTask(world, taskId, thief))).to.equal("TaskWrongStatus");
      expect(await world.creditOf(thief.payout)).to.equal(125n);
      expect((await world.accountOf(payer)).availableUsd6).to.equal(875n);
    });
  });
});

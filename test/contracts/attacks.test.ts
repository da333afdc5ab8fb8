/**
 * Four campaigns against a deployed system with several parties, each told in money: a payer that withholds, a node
 * that lies, a keeper that was bribed, and a payer that signs everything to its own node. Every run ends with the
 * honest side whole to the base unit, and with the vault's tokens equal to what it owes.
 */
import { after, before, beforeEach, describe, it } from "node:test";

import { expect } from "chai";
import { zeroHash, type Address, type Hex } from "viem";
import { eventsOf } from "./support/chain.ts";
import { moneyOf, moved, vaultBalance } from "./support/money.ts";
import { BURNED, CAP_USD6, createParties, WINDOW_S, type Parties } from "./support/parties.ts";
import { codeOf } from "./support/revert.ts";
import { BOND, createSelectionWorld, MODEL, POST_BOND, type SelectionWorld } from "./support/selection.ts";
import { bookOf, exec, fault, floorState, PRICE_USD6, standby, STAKE_WEI_PER_USD6 } from "./support/sessions.ts";
import {
  acceptTask,
  aReceipt,
  assignTask,
  expireTask,
  hashOf,
  postTask,
  settleTask,
  signReceipt,
} from "./support/tasks.ts";
import { harmOf, wordsOf } from "./support/taskWords.ts";
import { NGPU_WEI, USD6, type NodeKeys } from "./support/world.ts";

const START_USD6 = 1_000_000n * USD6;
const STAKE_WEI = 1_000n * NGPU_WEI;
/** Treasury fee as deployed. */
const feeOf = (paidUsd6: bigint) => paidUsd6 / 100n;

describe("Campaigns", () => {
  let selection: SelectionWorld;
  let world: Parties;
  before(async () => {
    selection = await createSelectionWorld();
    await selection.openEpoch();
    world = await createParties(selection);
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  /** INV-1 to the base unit: nothing is in the vault that it does not owe to one of these. */
  async function checkVault(...others: readonly Address[]): Promise<void> {
    const { alpha, beta, gamma } = world.nodes;
    const { payer, otherPayer } = world.actors;
    const payouts = [alpha, beta, gamma, world.own].map(({ payout }) => payout);
    let owedUsd6 = await world.potUsd6();
    for (const account of new Set([payer, otherPayer, world.treasury, BURNED, ...payouts, ...others])) {
      const { availableUsd6, reservedUsd6, creditUsd6 } = await moneyOf(world, account);
      owedUsd6 += availableUsd6 + reservedUsd6 + creditUsd6;
    }
    expect(await vaultBalance(world)).to.equal(owedUsd6);
  }
  const stakeTokensOf = (account: Address) => selection.balanceOf(account);

  describe("a payer that withholds", () => {
    it("pays for all that it signed, and what it withheld is worth nothing to it", async () => {
      const { alpha, beta } = world.nodes;
      const { payer } = world.actors;
      const { sessionId, book } = await world.aLane(alpha);
      await world.assign(sessionId, beta);
      const signed = await world.bill(book, [exec(1_000, 2_000), exec(3_000)]);
      const other = await world.bill(bookOf(sessionId, beta), [exec(5_000)]);

      // Work goes on for 20 s of two records; then the payer stops signing, releases both nodes and closes.
      for (const node of [alpha, beta]) await world.onLane("releaseReplica", sessionId, node, { from: payer });
      await world.onSession("close", sessionId);
      expect(await codeOf(world.onLane("reclaimLane", sessionId, alpha))).to.equal("SessionLaneNotReclaimable");
      await world.settle([signed.settlement, other.settlement]);
      await world.claim(sessionId, alpha, [12_000, 8_000], { after: 3n });
      await world.increase(WINDOW_S);
      await world.onLane("burnFloor", sessionId, alpha);
      await world.endSession(sessionId, [alpha, beta]);

      expect(await world.creditOf(alpha.payout), "signed work is paid").to.equal(600n - feeOf(300n) - feeOf(300n));
      expect(await world.creditOf(beta.payout), "so is the other node's").to.equal(500n - 5n);
      expect(await world.walletOf(payer), "the payer lost what it signed and what it withheld").to.equal(
        START_USD6 - 600n - 500n - 2_000n,
      );
      expect(await world.creditOf(BURNED)).to.equal(2_000n);
      expect(STAKE_WEI - (await world.stakeOf(alpha)), "the node has burned as much").to.equal(
        2_000n * STAKE_WEI_PER_USD6,
      );
      expect(await world.stakeOf(beta)).to.equal(STAKE_WEI);
      await checkVault();
    });

    it("changes nothing by silence alone: without a claim both have what was signed, to the base unit", async () => {
      const { alpha } = world.nodes;
      const { sessionId, book } = await world.aLane(alpha);
      const signed = await world.bill(book, [exec(1_000), exec(2_000)]);
      await world.increase(3_600);
      await world.settle([signed.settlement]);
      await world.increase(WINDOW_S);
      await world.endSession(sessionId, [alpha]);
      expect(await world.creditOf(alpha.payout)).to.equal(300n - 1n - 2n);
      expect(await world.walletOf(world.actors.payer)).to.equal(START_USD6 - 300n);
      expect(await world.stakeOf(alpha)).to.equal(STAKE_WEI);
      await checkVault();
    });
  });

  describe("a node that lies", () => {
    /** A task of the direct rail that alpha serves and is paid for. */
    async function aPaidTask() {
      const { payer } = world.actors;
      const { alpha } = world.nodes;
      const { taskId } = await postTask(world, { change: { backups: 0 }, approve: false });
      await assignTask(world, taskId, { nodes: [alpha] });
      await settleTask(world, taskId, alpha);
      expect(await world.walletOf(payer)).to.equal(START_USD6 - 125n);
      return taskId;
    }
    async function prove(kind: "proveConflict" | "proveOverlap", pair: readonly [Hex, object][]) {
      const signed = await Promise.all(
        pair.map(([taskId, change]) => {
          const { alpha } = world.nodes;
          return signReceipt(world, aReceipt(taskId, alpha, change), alpha.operator);
        }),
      );
      const [a, b] = signed;
      if (!a || !b) throw new RangeError("two receipts");
      const args = [a.message, a.signature, b.message, b.signature, zeroHash, await harmOf(world, a.message.taskId)] as const;
      const receipt = await world.send(world.actors.stranger, world.disputes, kind, args);
      return eventsOf(receipt, world.stakeVault, "StakeSlashed")[0];
    }

    it("with two results for one task: the payer has more back than it paid, the rest of the slash burns", async () => {
      const { payer } = world.actors;
      const { alpha } = world.nodes;
      const taskId = await aPaidTask();
      const slash = await prove("proveConflict", [
        [taskId, {}],
        [taskId, { outputCommitment: hashOf("another output") }],
      ]);
      expect(slash).to.include({ nodeId: alpha.nodeId, slashedWei: STAKE_WEI / 10n, challengerWei: 0n });
      await world.increase(WINDOW_S);
      const supply = async () => world.publicClient.readContract({ ...world.ngpu, functionName: "totalSupply" });
      const before = [await stakeTokensOf(payer), await supply()] as const;
      await world.send(world.actors.stranger, world.stakeVault, "finishSlash", [slash?.slashId ?? 0n]);
      await world.send(world.actors.stranger, world.stakeVault, "payCredit", [payer]);
      const compensatedWei = (await stakeTokensOf(payer)) - before[0];
      const { walletUsd6, availableUsd6 } = await moneyOf(world, payer);
      const paidUsd6 = START_USD6 - walletUsd6 - availableUsd6;
      expect(paidUsd6).to.equal(100n);
      expect(compensatedWei, "worth the task's maximum of 125").to.equal(125n * STAKE_WEI_PER_USD6);
      expect(before[1] - (await supply())).to.equal(STAKE_WEI / 10n - compensatedWei);
      expect(await world.stakeOf(alpha)).to.equal((STAKE_WEI * 9n) / 10n);
      await checkVault();
    });

    it("with the same second billed twice: loses a twentieth of its stake for each pair", async () => {
      const { alpha } = world.nodes;
      const taskId = await aPaidTask();
      const slash = await prove("proveOverlap", [
        [taskId, {}],
        [hashOf("another task"), { startMs: 1_800_000_000_999n, durationMs: 1 }],
      ]);
      expect(slash).to.include({ nodeId: alpha.nodeId, slashedWei: STAKE_WEI / 20n });
      expect(await world.creditOf(alpha.payout), "far more than the bill").to.equal(100n);
    });

    it("with false durations: they are capped, unsigned, or claimed in vain from a payer that answers", async () => {
      const { alpha } = world.nodes;
      const { payer } = world.actors;
      const { taskId } = await postTask(world, { change: { backups: 0 }, approve: false });
      await assignTask(world, taskId, { nodes: [alpha] });
      expect(await codeOf(settleTask(world, taskId, alpha, { change: { durationMs: 1_251 } }))).to.equal(
        "TaskDurationAboveCap",
      );
      await world.increase(601);
      await expireTask(world, taskId);

      const { sessionId, book } = await world.aLane(alpha);
      // The node ran 1 s and 2 s, says 60 s each, and claims the floor for them a second before the window ends.
      const honest = await world.bill(book, [exec(1_000, 2_000)]);
      await world.onSession("close", sessionId);
      const settleUntil = (await world.now()) + WINDOW_S;
      await world.claim(sessionId, alpha, [60_000, 60_000], { at: settleUntil - 1 });
      const forged = await world.bill(book, [exec(60_000, 60_000)], { by: alpha.operator });
      await world.settle([forged.settlement, honest.settlement]);
      await world.increase(WINDOW_S);
      await world.onLane("burnFloor", sessionId, alpha);
      await world.endSession(sessionId, [alpha]);
      expect((await world.laneOf(sessionId, alpha)).floor).to.equal(floorState.covered);
      expect(await world.walletOf(payer), "what it signed, no base unit more").to.equal(START_USD6 - 300n);
      expect(await world.creditOf(alpha.payout)).to.equal(300n - 3n);
      expect(await world.creditOf(BURNED)).to.equal(0n);
      await checkVault();
    });
  });

  describe("a keeper that was bribed", () => {
    let friend: NodeKeys;
    beforeEach(async () => {
      friend = await world.nodeOf(world.actors.stranger, "friend");
    });

    it("gives a friend every lane and all money, twice: the payer closes and has all of it back", async () => {
      const { payer, keeper } = world.actors;
      const sessionId = await world.open({ maxReplicas: 1 });
      await world.assign(sessionId, friend, { from: keeper, allotmentUsd6: CAP_USD6 });
      const forged = await world.bill(bookOf(sessionId, friend), [exec(60_000)], { by: friend.operator });
      const refused = eventsOf(await world.settle([forged.settlement]), world.settlement, "VoucherRefused");
      expect(refused.map(({ code }) => code)).to.deep.equal([fault.signatureInvalid]);
      await world.onLane("releaseReplica", sessionId, friend, { from: payer });
      await world.assign(sessionId, friend, { from: keeper, allotmentUsd6: CAP_USD6 });
      await world.onSession("close", sessionId);
      const again = world.assign(sessionId, friend, { from: keeper, allotmentUsd6: CAP_USD6 });
      expect(await codeOf(again)).to.equal("SessionNotOpen");
      await world.increase(WINDOW_S);
      await world.endSession(sessionId, [friend]);
      expect(await world.walletOf(payer)).to.equal(START_USD6);
      expect(await world.creditOf(friend.payout)).to.equal(0n);
      await checkVault(friend.payout);
    });

    it("takes an honest node's lane away: the node settles what it has within the window", async () => {
      const { alpha } = world.nodes;
      const { payer, keeper } = world.actors;
      const { sessionId, book } = await world.aLane(alpha);
      const signed = await world.bill(book, [exec(4_000)]);
      await world.onLane("releaseReplica", sessionId, alpha, { from: keeper });
      await world.increase(WINDOW_S - 5);
      await world.settle([signed.settlement]);
      await world.onSession("close", sessionId);
      await world.increase(WINDOW_S);
      await world.endSession(sessionId, [alpha]);
      expect(await world.creditOf(alpha.payout)).to.equal(400n - feeOf(400n));
      expect(await world.walletOf(payer)).to.equal(START_USD6 - 400n);
      await checkVault();
    });

    it("assigns friends that do nothing, or does nothing: tasks are refunded whole, or served without it", async () => {
      const { payer, stranger } = world.actors;
      const { alpha } = world.nodes;
      const before = await moneyOf(world, payer);
      const bribed = await postTask(world, { change: { backups: 0 }, approve: false });
      await assignTask(world, bribed.taskId, { nodes: [friend] });
      await acceptTask(world, bribed.taskId, friend);
      const ignored = await postTask(world, {
        change: { backups: 0, clientNonce: hashOf("ignored"), deadline: (await world.now()) + 1_800 },
        approve: false,
      });
      await world.increase(60);
      await assignTask(world, ignored.taskId, { from: stranger, nodes: [alpha] });
      await settleTask(world, ignored.taskId, alpha);
      await world.increase(1_500);
      await expireTask(world, bribed.taskId);
      const after = await moneyOf(world, payer);
      expect(moved(before, after), "one task of 100 was paid").to.deep.equal({
        walletUsd6: -250n,
        availableUsd6: 150n,
      });
      expect(await world.creditOf(alpha.payout)).to.equal(100n);
      expect(await world.creditOf(friend.payout)).to.equal(0n);
      await checkVault(friend.payout);
    });

    it("posts a wrong draw: half its bond is the challenger's, half burns, and nobody's money has moved", async () => {
      const { payer } = world.actors;
      const bribed = selection.keepers[4]?.account.address ?? "0x";
      const challenger = world.accountAt(14);
      const { taskId } = await postTask(world, { approve: false });
      const before = await moneyOf(world, payer);
      const drawn = await world.publicClient.readContract({
        ...world.assignment,
        functionName: "drawFor",
        args: [taskId, MODEL, 2n],
      });
      const right = { taskId, modelId: MODEL, inputCommitment: hashOf("input commitment"), nodes: drawn };
      const wrong = { ...right, nodes: drawn.toReversed() };
      await world.send(bribed, world.assignment, "post", [wrong, []]);
      const burned = await stakeTokensOf(BURNED);
      await world.send(challenger, world.assignment, "challenge", [
        wrong,
        0n,
        bribed,
        await wordsOf(world, taskId),
      ]);
      await world.send(challenger, world.keeperBonds, "withdrawCredit", [challenger]);
      expect(await stakeTokensOf(challenger)).to.equal(POST_BOND / 2n);
      expect((await stakeTokensOf(BURNED)) - burned).to.equal(POST_BOND / 2n);
      const keeper = { ...world.keeperBonds, functionName: "keeper", args: [5] } as const;
      expect((await world.publicClient.readContract(keeper)).bondWei).to.equal(5n * BOND - POST_BOND);
      await world.send(selection.keepers[3]?.account.address ?? "0x", world.assignment, "post", [right, []]);
      expect(moved(before, await moneyOf(world, payer))).to.deep.equal({});
      await checkVault();
    });
  });

  describe("a payer that signs its cap to its own node (INV-16)", () => {
    it("pays the honest nodes all that it signed to them, whoever settles first", async () => {
      const { alpha, beta } = world.nodes;
      const { own } = world;
      const { payer } = world.actors;
      const { sessionId, book } = await world.aLane(alpha, {}, 1_000n);
      await world.assign(sessionId, beta, { allotmentUsd6: 500n });
      await world.assign(sessionId, own, { allotmentUsd6: 1n });
      const toAlpha = await world.bill(book, [exec(10_000)]);
      const toBeta = await world.bill(bookOf(sessionId, beta), [exec(4_000), standby(10_000)]);
      // 214 USD against a cap of 100: it settles first, collects, gives itself all that is free and collects again.
      const toOwn = await world.bill(bookOf(sessionId, own), [exec(2 ** 31 - 1)]);
      await world.settle([toOwn.settlement], { from: payer });
      await world.onLane("collect", sessionId, own, { from: payer });
      const rest = world.assign(sessionId, own, { allotmentUsd6: CAP_USD6 });
      expect(await codeOf(rest), "nothing else is free").to.equal("SessionInsufficientFree");
      expect(await codeOf(world.onLane("collect", sessionId, own, { from: payer }))).to.equal("SessionNothingOwed");
      for (const node of [alpha, beta]) await world.onLane("releaseReplica", sessionId, node, { from: payer });
      await world.onSession("close", sessionId);
      expect(await codeOf(world.onLane("reclaimLane", sessionId, alpha, { from: payer }))).to.equal(
        "SessionLaneNotReclaimable",
      );
      await world.settle([toBeta.settlement, toAlpha.settlement]);
      await world.increase(WINDOW_S);
      await world.endSession(sessionId, [alpha, beta, own]);

      const signedBeta = ((4_000n * 10_000n + 10_000n * 1_000n) * 1_000n * PRICE_USD6) / 10n ** 13n;
      expect(await world.creditOf(alpha.payout)).to.equal(1_000n - feeOf(1_000n));
      expect(signedBeta).to.equal(500n);
      expect(await world.creditOf(beta.payout)).to.equal(500n - feeOf(400n) - feeOf(100n));
      const drained = CAP_USD6 - 1_500n;
      const paidToOwn = await world.creditOf(own.payout);
      expect(drained - paidToOwn <= feeOf(drained) && paidToOwn < drained, "its own money less the fee").to.equal(true);
      expect(await world.walletOf(payer)).to.equal(START_USD6 - CAP_USD6);
      expect(await world.potUsd6()).to.equal(0n);
      await checkVault();
    });
  });
});

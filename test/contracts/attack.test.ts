/**
 * One attack a test on the session rail, its vaults and its floor, as they are deployed: what was tried, and that the
 * attacker is no better off and nobody else worse. Whole campaigns of several parties are in attacks.test.ts.
 */
import { after, before, beforeEach, describe, it } from "node:test";
import { expect } from "chai";
import { concatHex, encodeFunctionData, maxUint256, size, slice, type Hex } from "viem";
import { eventsOf } from "./support/chain.ts";
import { BURNED, CAP_USD6, createParties, WINDOW_S, type Parties } from "./support/parties.ts";
import { noPermit } from "./support/permit.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import { bookOf, exec, fault, floorState, standby, STAKE_WEI_PER_USD6, type Settlement } from "./support/sessions.ts";
import { hashOf } from "./support/tasks.ts";
import { keyOf, NGPU_WEI, USD6 } from "./support/world.ts";

describe("Attacks on the session rail", () => {
  let world: Parties;
  before(async () => {
    world = await createParties();
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  const refusals = async (settlements: readonly Settlement[]) =>
    eventsOf(await world.settle(settlements), world.settlement, "VoucherRefused").map(({ code }) => code);
  const feeOf = (paidUsd6: bigint) => paidUsd6 / 100n;

  describe("the floor", () => {
    it("payer: cannot use up the node's one claim, nor burn its stake, with the receipts that it was sent", async () => {
      const { alpha } = world.nodes;
      const { sessionId } = await world.aLane(alpha);
      for (const from of [world.actors.payer, world.actors.keeper, world.actors.stranger]) {
        expect(await revertOf(world.claim(sessionId, alpha, [10], { from }))).to.deep.equal({
          name: "SessionNotAllowed",
          args: [sessionId, from],
        });
      }
      await world.claim(sessionId, alpha, [1_000, 1_000]);
      await world.increase(WINDOW_S);
      const burned = eventsOf(await world.onLane("burnFloor", sessionId, alpha), world.settlement, "FloorBurned")[0];
      expect(burned?.burnedUsd6, "the node's claim was left to it").to.equal(200n);
    });

    it("whoever holds a retired key: cannot claim against the node that retired it", async () => {
      const { alpha } = world.nodes;
      const fresh = keyOf("alpha's next operator");
      const binding = await world.bind(alpha.owner, fresh);
      await world.send(alpha.owner, world.registry, "rotateOperator", [alpha.nodeId, fresh.address, 2n ** 40n, binding]);
      const { sessionId } = await world.aLane(alpha);
      const thief = world.actors.payer;
      expect(await codeOf(world.claim(sessionId, alpha, [60_000], { from: thief }))).to.equal("SessionNotAllowed");
    });

    it("node: a claim in the last second of the window leaves the payer a window to answer it", async () => {
      const { alpha, beta } = world.nodes;
      const { sessionId, book } = await world.aLane(alpha);
      await world.assign(sessionId, beta);
      const late = await world.bill(bookOf(sessionId, beta), [exec(1_000)]);
      const answer = await world.bill(book, [exec(1_000, 1_000)]);
      await world.onSession("close", sessionId);
      const settleUntil = (await world.now()) + WINDOW_S;
      await world.claim(sessionId, alpha, [1_000, 1_000], { at: settleUntil - 1 });
      const answered = await world.settle([late.settlement, answer.settlement], { at: settleUntil + WINDOW_S - 2 });
      expect(eventsOf(answered, world.settlement, "VoucherRefused").map(({ nodeId, code }) => [nodeId, code])).to.deep.equal(
        [[beta.nodeId, fault.windowOver]],
      );
      expect(eventsOf(answered, world.settlement, "BillsSettled")[0]?.paidUsd6).to.equal(200n);
      await world.onLane("burnFloor", sessionId, alpha, { at: settleUntil + WINDOW_S - 1 });
      expect((await world.laneOf(sessionId, alpha)).floor).to.equal(floorState.covered);
      expect(await world.creditOf(BURNED)).to.equal(0n);
      expect(await world.stakeOf(alpha)).to.equal(1_000n * NGPU_WEI);
    });

    it("node: a claim does not hold the settle window open once it has burned, lapsed or been given up", async () => {
      const { alpha } = world.nodes;
      for (const end of ["burned", "lapsed", "given up"] as const) {
        await world.restore();
        const { sessionId, book } = await world.aLane(alpha);
        await world.onSession("close", sessionId);
        const settleUntil = (await world.now()) + WINDOW_S;
        await world.claim(sessionId, alpha, [1_000], { at: settleUntil - 1 });
        if (end === "given up") await world.onLane("releaseReplica", sessionId, alpha, { from: alpha.owner });
        await world.increaseTo(settleUntil + (end === "lapsed" ? 2 : 1) * WINDOW_S);
        if (end === "burned") await world.onLane("burnFloor", sessionId, alpha);
        const late = await world.bill(book, [exec(5_000)]);
        expect(await refusals([late.settlement]), end).to.deep.equal([fault.windowOver]);
        await world.endSession(sessionId, [alpha]);
      }
    });

    it("payer or stranger: no claim exists without the node's own signature, whatever else is signed", async () => {
      const { alpha, beta } = world.nodes;
      const { sessionId } = await world.aLane(alpha);
      const other = await world.aLane(alpha, { clientNonce: hashOf("another session") });
      for (const by of [keyOf("payer"), beta.operator, world.own.operator]) {
        expect(await codeOf(world.claim(sessionId, alpha, [1_000], { by }))).to.equal("SessionReceiptInvalid");
      }
      expect(await codeOf(world.claim(other.sessionId, alpha, [1_000], { after: 1n }))).to.equal("SessionReceiptInvalid");
      expect(await codeOf(world.claim(sessionId, beta, [1_000]))).to.equal("SessionLaneWrongState");
      await world.increase(2 * WINDOW_S);
      expect(await codeOf(world.onLane("burnFloor", sessionId, alpha))).to.equal("SessionClaimNotBurnable");
      expect(await world.stakeOf(alpha)).to.equal(1_000n * NGPU_WEI);
    });

    it("claim, settle, burn, settle: what a voucher pays is not burned, and what is burned was not paid", async () => {
      const { alpha } = world.nodes;
      const { sessionId, book } = await world.aLane(alpha, {}, 250n);
      await world.claim(sessionId, alpha, [1_000, 1_000]);
      const first = await world.bill(book, [exec(1_000)]);
      await world.settle([first.settlement]);
      await world.increase(WINDOW_S);
      const burned = eventsOf(await world.onLane("burnFloor", sessionId, alpha), world.settlement, "FloorBurned")[0];
      expect(burned?.burnedUsd6).to.equal(100n);
      const second = await world.bill(first.book, [exec(1_000)]);
      const bill = eventsOf(await world.settle([second.settlement]), world.settlement, "BillsSettled")[0];
      expect([bill?.paidUsd6, bill?.owedUsd6], "of 250, 100 were paid and 100 burned").to.deep.equal([50n, 50n]);
      const { purse } = await world.sessionOf(sessionId);
      expect(purse.putInUsd6).to.equal(CAP_USD6 - 100n);
      expect(await world.potUsd6()).to.equal(CAP_USD6 - 250n);
    });

    it("self-dealer: empties the rail's slash bucket only by burning as much stake and money of its own", async () => {
      const { own } = world;
      const bucket = () =>
        world.publicClient.readContract({ ...world.stakeVault, functionName: "bucketOf", args: [world.settlement.address] });
      const [full] = await bucket();
      const spentOf = async () => CAP_USD6 * 2n - (await world.potUsd6());
      for (const nonce of ["one", "two"]) {
        const { sessionId } = await world.aLane(own, { clientNonce: hashOf(nonce) });
        await world.claim(sessionId, own, [60_000]);
        await world.increase(WINDOW_S);
        await world.onLane("burnFloor", sessionId, own);
      }
      const burnedUsd6 = await spentOf();
      expect(burnedUsd6, "two floors of 60 s of 1,000 CU").to.equal(12_000n);
      const lostWei = 1_000n * NGPU_WEI - (await world.stakeOf(own));
      expect(lostWei).to.equal(burnedUsd6 * STAKE_WEI_PER_USD6);
      const [left] = await bucket();
      expect(full - left <= lostWei, "the bucket lost no more than the attacker").to.equal(true);
      expect(full / (full - left) > 40_000n, "some 80,000 lanes for the whole bucket").to.equal(true);
    });

    it("payer: may answer a claim with lines that count for nothing; the node loses one credit window at most", async () => {
      const { alpha } = world.nodes;
      const { sessionId, book } = await world.aLane(alpha);
      await world.claim(sessionId, alpha, [30_000, 30_000]);
      await world.settle([(await world.bill(book, [standby(0, 0)])).settlement]);
      await world.increase(WINDOW_S);
      await world.onLane("burnFloor", sessionId, alpha);
      expect((await world.laneOf(sessionId, alpha)).floor).to.equal(floorState.covered);
      expect(await world.stakeOf(alpha), "the node's stake is whole").to.equal(1_000n * NGPU_WEI);
    });
  });

  describe("vouchers", () => {
    it("relay: reordered, repeated, foreign and mixed settlements pay each signed base unit once", async () => {
      const { alpha, beta } = world.nodes;
      const { sessionId, book } = await world.aLane(alpha);
      await world.assign(sessionId, beta);
      const other = await world.aLane(alpha, { clientNonce: hashOf("another session") });
      const signed = (await world.bill(book, [exec(1_000), exec(2_000), exec(3_000)])).settlement;
      const [one, two, three] = signed.segments;
      if (!one || !two || !three) throw new Error("there are three segments");
      const tries: Settlement[] = [
        { ...signed, segments: [two, one, three] },
        { ...signed, segments: [one, one, two, three] },
        { ...signed, segments: [one, two] },
        { ...signed, segments: [two, three] },
        { ...signed, segments: [one, two, three, three] },
        { ...signed, nodeId: beta.nodeId },
        { ...signed, sessionId: other.sessionId },
        { ...signed, segments: [] },
      ];
      expect(await refusals([...tries, signed, ...tries, signed, signed])).to.have.length(2 * tries.length + 2);
      expect(await world.creditOf(alpha.payout)).to.equal(600n - 6n);
      expect(await world.creditOf(beta.payout)).to.equal(0n);
      expect(await world.potUsd6()).to.equal(2n * CAP_USD6 - 600n);
    });

    it("payer: no signature, of whatever length, makes the rest of a batch fail", async () => {
      const { alpha, beta } = world.nodes;
      const { sessionId, book } = await world.aLane(alpha);
      await world.assign(sessionId, beta);
      const good = (await world.bill(bookOf(sessionId, beta), [exec(1_000)])).settlement;
      const bad = (await world.bill(book, [exec(1_000)])).settlement;
      const signatures: Hex[] = ["0x", "0x00", slice(bad.signature, 0, 64), concatHex([bad.signature, "0x00"])];
      signatures.push(`0x${"ff".repeat(65)}`, `0x${"00".repeat(65)}`, `0x${"11".repeat(4_096)}`);
      const batch = signatures.map((signature) => ({ ...bad, signature }));
      const codes = await refusals([...batch.slice(0, 3), good, ...batch.slice(3)]);
      expect(codes).to.deep.equal(signatures.map(() => fault.signatureInvalid));
      expect(await world.creditOf(beta.payout)).to.equal(99n);
    });

    it("relay: calldata whose offsets point outside reverts whole, so only whoever wrote it can break a batch", async () => {
      const { alpha } = world.nodes;
      const { book } = await world.aLane(alpha);
      const { settlement } = await world.bill(book, [exec(1_000)]);
      const data = encodeFunctionData({ ...world.settlement, functionName: "settle", args: [[settlement]] });
      const wallet = await world.connection.viem.getWalletClient(world.actors.stranger);
      // Words after the selector: array, its length, offset of the settlement, then session, node, segments, signature.
      for (const word of [0, 1, 2, 5, 6, 8]) {
        const broken = concatHex([
          slice(data, 0, 4 + 32 * word),
          `0x${"ff".repeat(32)}`,
          slice(data, 4 + 32 * (word + 1), size(data)),
        ]);
        const sent = wallet.sendTransaction({ to: world.settlement.address, data: broken, gas: 3_000_000n });
        expect(await sent.then(() => "went through", () => "reverted"), `word ${word}`).to.equal("reverted");
      }
      expect(await world.potUsd6()).to.equal(CAP_USD6);
      await world.settle([settlement]);
    });

    it("payer: the largest voucher that a node must take settles within a quarter of a block", async () => {
      const { alpha } = world.nodes;
      const { book } = await world.aLane(alpha);
      const { settlement } = await world.bill(book, [exec(...Array.from({ length: 4_096 }, (_, i) => i % 7))]);
      const receipt = await world.settle([settlement]);
      expect(eventsOf(receipt, world.settlement, "BillsSettled")).to.have.length(1);
      expect(receipt.gasUsed < 1_500_000n, `${receipt.gasUsed}`).to.equal(true);
    });

    it("payer and node: cutting bills finely withholds less than a base unit of fee a segment", async () => {
      const { alpha } = world.nodes;
      const { book } = await world.aLane(alpha);
      const before = await world.creditOf(world.treasury);
      const segments = Array.from({ length: 20 }, () => exec(990));
      const receipt = await world.settle([(await world.bill(book, segments)).settlement]);
      const paidUsd6 = eventsOf(receipt, world.settlement, "BillsSettled").reduce((sum, { paidUsd6: paid }) => sum + paid, 0n);
      const withheldUsd6 = feeOf(paidUsd6) - ((await world.creditOf(world.treasury)) - before);
      expect(paidUsd6).to.equal(1_980n);
      expect(withheldUsd6 < BigInt(segments.length)).to.equal(true);
    });
  });

  describe("lanes and time", () => {
    it("payer: what a releasing lane may still earn cannot be given to its own node", async () => {
      const { alpha } = world.nodes;
      const { sessionId, book } = await world.aLane(alpha, {}, CAP_USD6);
      await world.onLane("releaseReplica", sessionId, alpha, { from: world.actors.payer });
      const releasedAt = (await world.now()) + WINDOW_S;
      expect(await codeOf(world.assign(sessionId, world.own, { allotmentUsd6: 1n }))).to.equal("SessionInsufficientFree");
      expect(await codeOf(world.onLane("reclaimLane", sessionId, alpha, { at: releasedAt - 2 }))).to.equal(
        "SessionLaneNotReclaimable",
      );
      const { settlement } = await world.bill(book, [exec(900_000)]);
      const bill = eventsOf(await world.settle([settlement], { at: releasedAt - 1 }), world.settlement, "BillsSettled")[0];
      expect(bill?.paidUsd6).to.equal(90_000n);
      await world.onLane("reclaimLane", sessionId, alpha, { at: releasedAt });
      expect((await world.sessionOf(sessionId)).purse.freeUsd6).to.equal(CAP_USD6 - 90_000n);
    });

    it("node: old vouchers pay nothing again on a lane that was reclaimed and given back", async () => {
      const { alpha } = world.nodes;
      const { sessionId, book } = await world.aLane(alpha);
      const first = await world.bill(book, [exec(1_000)]);
      const second = await world.bill(first.book, [exec(2_000)]);
      await world.settle([first.settlement]);
      await world.onLane("releaseReplica", sessionId, alpha, { from: alpha.owner });
      await world.onLane("reclaimLane", sessionId, alpha);
      await world.settle([second.settlement]);
      expect(await world.creditOf(alpha.payout), "a reclaimed lane has nothing to pay from").to.equal(99n);
      await world.assign(sessionId, alpha, { allotmentUsd6: 10n * USD6 });
      expect(await refusals([first.settlement, second.settlement])).to.have.length(2);
      await world.onLane("collect", sessionId, alpha);
      expect(await codeOf(world.onLane("collect", sessionId, alpha))).to.equal("SessionNothingOwed");
      expect(await world.creditOf(alpha.payout), "each voucher once").to.equal(99n + 198n);
    });

    it("everyone: the last second of each phase belongs to it, and the next one to the next", async () => {
      const { alpha } = world.nodes;
      const { payer } = world.actors;
      const expiresAt = (await world.now()) + 1_000;
      const { sessionId, book } = await world.aLane(alpha, { expiresAt });
      await world.send(payer, world.settlement, "topUp", [sessionId, 1n, noPermit], { at: expiresAt - 1 });
      const late = { at: expiresAt };
      const topUp = world.send(payer, world.settlement, "topUp", [sessionId, 1n, noPermit], late);
      expect(await codeOf(topUp)).to.equal("SessionNotOpen");
      expect(await codeOf(world.onSession("close", sessionId))).to.equal("SessionNotOpen");
      expect(await codeOf(world.assign(sessionId, alpha, { allotmentUsd6: 11n * USD6 }))).to.equal("SessionNotOpen");
      const settleUntil = expiresAt + WINDOW_S;
      const first = await world.bill(book, [exec(1_000)]);
      const second = await world.bill(first.book, [exec(1_000)]);
      expect(await codeOf(world.onSession("finish", sessionId, { at: settleUntil - 3 }))).to.equal("SessionStillSettling");
      expect(await codeOf(world.onLane("reclaimLane", sessionId, alpha, { at: settleUntil - 2 }))).to.equal(
        "SessionLaneNotReclaimable",
      );
      await world.settle([first.settlement], { at: settleUntil - 1 });
      const after = await world.settle([second.settlement], { at: settleUntil });
      expect(eventsOf(after, world.settlement, "VoucherRefused")[0]?.code).to.equal(fault.windowOver);
      await world.endSession(sessionId, [alpha]);
      expect(await world.walletOf(payer)).to.equal(1_000_000n * USD6 - 100n);
      expect(await world.potUsd6()).to.equal(0n);
    });

    it("payer: a signer that is replaced, by its own node's key too, takes nothing that was signed before", async () => {
      const { alpha } = world.nodes;
      const { sessionId, book } = await world.aLane(alpha);
      const before = await world.bill(book, [exec(1_000)]);
      const { operator } = world.own;
      await world.send(world.actors.payer, world.settlement, "replaceSigner", [sessionId, operator.address]);
      await world.assign(sessionId, world.own, { allotmentUsd6: CAP_USD6 - 10n * USD6 });
      const drain = await world.bill(bookOf(sessionId, world.own), [exec(2 ** 31 - 1)], { by: operator });
      await world.settle([drain.settlement]);
      const bill = eventsOf(await world.settle([before.settlement]), world.settlement, "BillsSettled")[0];
      expect([bill?.paidUsd6, bill?.owedUsd6]).to.deep.equal([100n, 0n]);
    });

    it("node: stake that begins to leave a moment before a bill is locked short, yet stays slashable", async () => {
      const { alpha } = world.nodes;
      const { book } = await world.aLane(alpha);
      await world.send(alpha.owner, world.stakeVault, "beginExit", [alpha.nodeId, 1_000n * NGPU_WEI]);
      const receipt = await world.settle([(await world.bill(book, [exec(1_000)])).settlement]);
      expect(eventsOf(receipt, world.stakeVault, "StakeLockShort")[0]).to.include({ lockedWei: 0n });
      expect(await world.creditOf(alpha.payout), "the bill is paid all the same").to.equal(99n);
      const slashable = { ...world.stakeVault, functionName: "slashableOf", args: [alpha.nodeId] } as const;
      expect(await world.publicClient.readContract(slashable)).to.equal(1_000n * NGPU_WEI);
    });

    it("node: stake locked by a fee cannot leave before a whole dispute window, whichever side of a period it falls", async () => {
      const { alpha } = world.nodes;
      const { book } = await world.aLane(alpha);
      const period = Math.ceil(((await world.now()) + 5) / WINDOW_S) * WINDOW_S;
      const exit = (at: number) =>
        world.send(alpha.owner, world.stakeVault, "beginExit", [alpha.nodeId, 1_000n * NGPU_WEI], { at });
      await world.settle([(await world.bill(book, [exec(1_000)])).settlement], { at: period - 1 });
      expect(await world.lockedOf(alpha)).to.equal(100n * STAKE_WEI_PER_USD6);
      expect(await codeOf(exit(period + WINDOW_S - 1))).to.equal("StakeStillLocked");
      await exit(period + WINDOW_S);
    });
  });

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
      expect(await codeOf(world.send(key, world.settlement, "openFor", [payer, again]))).to.equal("PaymentKeyCapExceeded");
      expect(await codeOf(world.send(key, world.settlement, "replaceSigner", [sessionId, thief.address]))).to.equal(
        "SessionNotAllowed",
      );
      await world.onSession("close", sessionId, { from: key });
      await world.increase(WINDOW_S);
      await world.endSession(sessionId, [alpha, world.own]).catch(() => undefined);
      expect((await world.accountOf(payer)).availableUsd6, "the closed session gave all back").to.equal(45n * USD6 + CAP_USD6);
    });

    it("stranger: adds no obligation to anybody, ends none, and holds nobody's money in", async () => {
      const { payer, stranger } = world.actors;
      const { paymentVault } = world;
      for (const act of ["addObligation", "endObligation"] as const) {
        expect(await codeOf(world.send(stranger, paymentVault, act, [payer]))).to.equal("PaymentNotRail");
      }
      const params = await world.anOpen({ spendCapUsd6: 1n });
      expect(await codeOf(world.send(stranger, world.settlement, "openFor", [payer, params]))).to.equal("PaymentKeyInvalid");
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
        const params = await world.anOpen({ spendCapUsd6: 1n, clientNonce: hashOf(`dust ${i}`), expiresAt: (await world.now()) + 80 * 86_400 });
        await world.send(key, world.settlement, "openFor", [payer, params]);
      }
      const rest = 50n * USD6 - 10n;
      expect(await codeOf(world.send(payer, world.paymentVault, "withdraw", [payer, rest]))).to.equal("PaymentWithdrawalThaws");
      const before = await world.walletOf(payer);
      await world.send(payer, world.paymentVault, "beginWithdrawal", [payer, rest]);
      await world.increase(WINDOW_S);
      await world.send(world.actors.stranger, world.paymentVault, "finishWithdrawal", [payer]);
      expect((await world.walletOf(payer)) - before).to.equal(rest);
    });
  });
});

/**
 * The floor of the session rail as deployed, one attack a test: what was tried, and that
 * the attacker is no better off and nobody else worse. Campaigns of several parties are in attacks.test.ts.
 */
import { after, before, beforeEach, describe, it } from "node:test";
import { expect } from "chai";
import { eventsOf } from "./support/chain.ts";
import { BURNED, CAP_USD6, createParties, WINDOW_S, type Parties } from "./support/parties.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import { bookOf, exec, fault, floorState, standby, STAKE_WEI_PER_USD6, type Settlement } from "./support/sessions.ts";
import { hashOf } from "./support/tasks.ts";
import { keyOf, NGPU_WEI } from "./support/world.ts";

describe("Attacks on the floor", () => {
  let world: Parties;
  before(async () => {
    world = await createParties();
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  const refusals = async (settlements: readonly Settlement[]) =>
    eventsOf(await world.settle(settlements), world.settlement, "VoucherRefused").map(({ code }) => code);

  describe("the floor", () => {
    it("payer: cannot use up the node's one claim, nor burn its stake, by the receipts it was sent", async () => {
      const { alpha } = world.nodes;
      const { sessionId } = await world.aLane(alpha);
      for (const from of [world.actors.payer, world.actors.stranger]) {
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

    it("keeper: relays the claim of a node that has no gas, and the node's receipts decide how much", async () => {
      const { alpha } = world.nodes;
      const { sessionId } = await world.aLane(alpha);
      await world.claim(sessionId, alpha, [1_000, 1_000], { from: world.actors.keeper });
      await world.increase(WINDOW_S);
      const burned = eventsOf(await world.onLane("burnFloor", sessionId, alpha), world.settlement, "FloorBurned")[0];
      expect(burned?.burnedUsd6).to.equal(200n);
    });

    it("whoever holds a retired key: cannot claim against the node that retired it", async () => {
      const { alpha } = world.nodes;
      const fresh = keyOf("alpha's next operator");
      const binding = await world.bind(alpha.owner, fresh);
      await world.send(alpha.owner, world.registry, "rotateOperator", [
        alpha.nodeId,
        fresh.address,
        2n ** 40n,
        binding,
      ]);
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
      expect(
        eventsOf(answered, world.settlement, "VoucherRefused").map(({ nodeId, code }) => [nodeId, code]),
      ).to.deep.equal([[beta.nodeId, fault.windowOver]]);
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
      expect(await codeOf(world.claim(other.sessionId, alpha, [1_000], { after: 1n }))).to.equal(
        "SessionReceiptInvalid",
      );
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
        world.publicClient.readContract({
          ...world.stakeVault,
          functionName: "bucketOf",
          args: [world.settlement.address],
        });
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

    it("payer: may answer a claim with lines that count for nothing; the node keeps its stake", async () => {
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
});

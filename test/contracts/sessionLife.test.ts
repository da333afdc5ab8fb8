/** A session from opening to the return of its rest: contracts/session/SessionOpening.sol and SessionLanes.sol. */
import { after, before, beforeEach, describe, it } from "node:test";
import { sessionLimits } from "@ngpu/protocol/session/sessionLimits";
import { expect } from "chai";
import { zeroAddress, zeroHash, type Hex } from "viem";
import { eventsOf } from "./support/chain.ts";
import { noPermit } from "./support/permit.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import {
  createSessionWorld,
  exec,
  FEE_BPS,
  laneState,
  PRICE_USD6,
  role,
  signer,
  STAKE_WEI_PER_USD6,
  WINDOW_S,
  type SessionWorld,
} from "./support/sessions.ts";
import { hashOf } from "./support/tasks.ts";
import { keyOf, USD6 } from "./support/world.ts";

describe("SessionSettlement: sessions and lanes", () => {
  let world: SessionWorld;
  before(async () => {
    world = await createSessionWorld();
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  const call = (from: Hex, name: "close" | "finish", sessionId: Hex) =>
    world.send(from, world.settlement, name, [sessionId]);
  const release = (from: Hex, sessionId: Hex, nodeId: number) =>
    world.send(from, world.settlement, "releaseReplica", [sessionId, nodeId]);
  const reclaim = (sessionId: Hex, nodeId: number) =>
    world.send(world.actors.stranger, world.settlement, "reclaimLane", [sessionId, nodeId]);
  const withdrawalOf = (account: Hex) =>
    world.publicClient.readContract({ ...world.vault, functionName: "withdrawalOf", args: [account] });

  describe("opening", () => {
    it("holds the whole cap and freezes price, stake rate and fee", async () => {
      const { payer } = world.actors;
      const { sessionId, params, receipt } = await world.open();
      const { maxPriceUsd6PerGcums: _, expiresAt, ...said } = params;
      expect(eventsOf(receipt, world.settlement, "SessionOpened")).to.deep.equal([
        {
          sessionId,
          payer,
          openedBy: payer,
          priceUsd6PerGcums: PRICE_USD6,
          stakeWeiPerUsd6: STAKE_WEI_PER_USD6,
          feeBps: FEE_BPS,
          expiresAt,
          ...said,
        },
      ]);
      expect(await world.heldUsd6()).to.equal(100n * USD6);
      expect((await withdrawalOf(payer)).obligations).to.equal(1);
      const { terms, purse } = await world.sessionOf(sessionId);
      expect(terms).to.include({ signer: signer.address, payer, state: 1, closesAt: expiresAt });
      expect(purse).to.include({ freeUsd6: 100n * USD6, putInUsd6: 100n * USD6, returnedUsd6: 0n, replicas: 0 });
      const idCall = { ...world.settlement, functionName: "sessionIdOf" } as const;
      const args = [payer, params.clientNonce, params.modelId] as const;
      expect(await world.publicClient.readContract({ ...idCall, args })).to.equal(sessionId);
    });

    it("lets a key of the payer open from available money, within its cap and no longer than it is authorised", async () => {
      const { payer } = world.actors;
      const key = world.accountAt(8);
      const openFor = async (nonce: string, spendCapUsd6: bigint) =>
        world.send(key, world.settlement, "openFor", [
          payer,
          await world.anOpen({ clientNonce: hashOf(nonce), spendCapUsd6 }),
        ]);
      const authorize = (cap: bigint, expiry: number) =>
        world.send(payer, world.vault, "authorizeKey", [key, cap, expiry]);
      await world.send(payer, world.vault, "deposit", [payer, 50n]);
      expect(await codeOf(openFor("a", 10n))).to.equal("PaymentKeyInvalid");
      await authorize(30n, (await world.now()) + 1_000);
      expect(await codeOf(openFor("a", 31n))).to.equal("PaymentKeyCapExceeded");
      const receipt = await openFor("a", 20n);
      expect(eventsOf(receipt, world.settlement, "SessionOpened")[0]).to.include({ payer, openedBy: key });
      expect(eventsOf(receipt, world.vault, "KeySpent")).to.deep.equal([
        { payer, key, amountUsd6: 20n, capLeftUsd6: 10n },
      ]);
      expect(await codeOf(openFor("b", 11n))).to.equal("PaymentKeyCapExceeded");
      await authorize(100n, (await world.now()) + 1_000);
      expect(await revertOf(openFor("b", 31n)), "available money alone").to.deep.equal({
        name: "PaymentInsufficient",
        args: [payer, 30n, 31n],
      });
      await world.send(payer, world.vault, "beginKeyRevocation", [key]);
      expect(await codeOf(openFor("b", 5n))).to.equal("PaymentKeyInvalid");
      await authorize(100n, await world.now());
      expect(await codeOf(openFor("b", 5n)), "expired").to.equal("PaymentKeyInvalid");
    });

    it("refuses what is incomplete, too dear, too long, or there before", async () => {
      const { payer } = world.actors;
      const now = await world.now();
      const tryOpen = async (change: Parameters<typeof world.open>[0]) => codeOf(world.open(change));
      for (const change of [
        { modelId: zeroHash },
        { signer: zeroAddress },
        { spendCapUsd6: 0n },
        { maxReplicas: 0, minReplicas: 0 },
        { minReplicas: 4 },
      ]) {
        expect(await tryOpen(change), JSON.stringify(Object.keys(change))).to.equal("SessionInvalidOpen");
      }
      expect(await tryOpen({ expiresAt: now })).to.equal("SessionExpiryOutOfRange");
      const tooLate = now + sessionLimits.maxSessionS + 1_000;
      expect(await tryOpen({ expiresAt: tooLate })).to.equal("SessionExpiryOutOfRange");
      expect(await tryOpen({ maxPriceUsd6PerGcums: PRICE_USD6 - 1n })).to.equal("SessionPriceAboveMax");
      await world.open();
      expect(await tryOpen({})).to.equal("SessionExists");
      expect(await codeOf(world.open({}, payer)), "one id, whoever asks").to.equal("SessionExists");
      await world.open({}, world.actors.otherPayer);
    });

    it("keeps what keepers go by: how many nodes the payer wants at least and at most, and how soon", async () => {
      const { sessionId } = await world.open({ minReplicas: 2, maxReplicas: 2, slaMs: 750, clientNonce: hashOf("two") });
      const { purse, slaMs } = await world.sessionOf(sessionId);
      expect([purse.minReplicas, purse.maxReplicas, slaMs]).to.deep.equal([2, 2, 750]);
    });

    it("refuses parameters of a deployment outside their bounds", async () => {
      const deploy = (change: object) =>
        world.deploy("SessionSettlement", world.settlement.abi, [{ ...world.parts, ...change }]);
      for (const name of ["authority", "registry", "paymentVault", "stakeVault", "priceOracle", "taskEscrow", "treasury"]) {
        expect(await codeOf(deploy({ [name]: zeroAddress })), name).to.equal("SessionZeroAddress");
      }
      for (const change of [{ feeBps: 501 }, { settleWindow: 59 }, { settleWindow: sessionLimits.maxSettleWindowS + 1 }]) {
        expect(await codeOf(deploy(change))).to.equal("SessionParameterInvalid");
      }
    });
  });

  describe("money and time", () => {
    it("takes more from the payer, or by its key from available money", async () => {
      const { payer, stranger } = world.actors;
      const { sessionId } = await world.open();
      const topUp = (from: Hex, amount: bigint) =>
        world.send(from, world.settlement, "topUp", [sessionId, amount, noPermit]);
      const receipt = await topUp(payer, 5n);
      expect(eventsOf(receipt, world.settlement, "SessionToppedUp")).to.deep.equal([
        { sessionId, payer, amountUsd6: 5n, putInUsd6: 100n * USD6 + 5n },
      ]);
      expect(await world.heldUsd6()).to.equal(100n * USD6 + 5n);
      expect(await codeOf(topUp(stranger, 5n))).to.equal("PaymentKeyInvalid");
      expect(await codeOf(topUp(payer, 0n))).to.equal("SessionZeroAmount");
      await call(payer, "close", sessionId);
      expect(await codeOf(topUp(payer, 5n))).to.equal("SessionNotOpen");
    });

    it("closes at once for the payer or its key, then settles, then gives everything back to whoever finishes", async () => {
      const { payer, stranger } = world.actors;
      const { sessionId, book } = await world.aLane();
      expect(await codeOf(call(stranger, "close", sessionId))).to.equal("SessionNotAllowed");
      const receipt = await call(payer, "close", sessionId);
      const closesAt = await world.now();
      const settleUntil = closesAt + WINDOW_S;
      expect(eventsOf(receipt, world.settlement, "SessionClosed")).to.deep.equal([
        { sessionId, payer, closesAt, settleUntil },
      ]);
      expect(await codeOf(call(payer, "close", sessionId))).to.equal("SessionNotOpen");
      expect(await codeOf(world.assign(sessionId, world.nodes.beta))).to.equal("SessionNotOpen");
      await world.settle([(await world.bill(book, [exec(1_000)])).settlement]);
      expect(await revertOf(call(stranger, "finish", sessionId))).to.deep.equal({
        name: "SessionStillSettling",
        args: [sessionId, settleUntil],
      });
      await world.increaseTo(settleUntil);
      expect(await codeOf(call(stranger, "finish", sessionId))).to.equal("SessionLanesLeft");
      await reclaim(sessionId, world.nodes.alpha.nodeId);
      const finished = await call(stranger, "finish", sessionId);
      const returnedUsd6 = 100n * USD6 - 100n;
      expect(eventsOf(finished, world.settlement, "SessionFinished")).to.deep.equal([{ sessionId, payer, returnedUsd6 }]);
      expect((await world.accountOf(payer)).availableUsd6).to.equal(returnedUsd6);
      expect(await world.heldUsd6()).to.equal(0n);
      expect((await withdrawalOf(payer)).obligations).to.equal(0);
      expect(await codeOf(call(stranger, "finish", sessionId))).to.equal("SessionNotOpen");
    });

    it("closes by time alone at the expiry", async () => {
      const { sessionId, params } = await world.open();
      await world.increaseTo(params.expiresAt);
      expect(await codeOf(world.assign(sessionId, world.nodes.alpha))).to.equal("SessionNotOpen");
      expect(await codeOf(call(world.actors.payer, "close", sessionId))).to.equal("SessionNotOpen");
      await world.increaseTo(params.expiresAt + WINDOW_S);
      await call(world.actors.stranger, "finish", sessionId);
      expect((await world.accountOf(world.actors.payer)).availableUsd6).to.equal(100n * USD6);
    });

    it("keeps the former signer's vouchers good for one settle window, and replaces one at a time", async () => {
      const { payer, stranger } = world.actors;
      const next = keyOf("next signer");
      const { sessionId, book } = await world.aLane();
      const replace = (from: Hex, to: Hex) => world.send(from, world.settlement, "replaceSigner", [sessionId, to]);
      expect(await codeOf(replace(stranger, next.address))).to.equal("SessionNotAllowed");
      expect(await codeOf(replace(payer, zeroAddress))).to.equal("SessionZeroAddress");
      const receipt = await replace(payer, next.address);
      const formerUntil = (await world.now()) + WINDOW_S;
      expect(eventsOf(receipt, world.settlement, "SignerReplaced")).to.deep.equal([
        { sessionId, formerSigner: signer.address, signer: next.address, formerUntil },
      ]);
      expect(await codeOf(replace(payer, keyOf("third").address))).to.equal("SessionSignerThawing");
      const former = await world.bill(book, [exec(10)]);
      const fresh = await world.bill(former.book, [exec(10)], { by: next });
      const settled = await world.settle([former.settlement, fresh.settlement]);
      expect(eventsOf(settled, world.settlement, "BillsSettled")).to.have.length(2);
      const late = await world.bill(fresh.book, [exec(10)]);
      await world.increaseTo(formerUntil);
      expect(eventsOf(await world.settle([late.settlement]), world.settlement, "VoucherRefused")).to.have.length(1);
      await replace(payer, keyOf("third").address);
    });
  });

  describe("lanes", () => {
    it("are given by a keeper, the payer or its key, to an eligible node, within the replicas and the free money", async () => {
      const { payer, keeper, stranger } = world.actors;
      const { alpha, beta, gamma } = world.nodes;
      const { sessionId } = await world.open({ maxReplicas: 2 });
      expect(await codeOf(world.assign(sessionId, alpha, { from: stranger }))).to.equal("SessionNotAllowed");
      const receipt = await world.assign(sessionId, alpha, { from: keeper });
      expect(eventsOf(receipt, world.settlement, "ReplicaAssigned")).to.deep.equal([
        { sessionId, nodeId: alpha.nodeId, payer, role: role.primary, powerCu: 1_000, allotmentUsd6: 10n * USD6 },
      ]);
      const asked = 90n * USD6 + 1n;
      expect(await revertOf(world.assign(sessionId, beta, { allotmentUsd6: asked }))).to.deep.equal({
        name: "SessionInsufficientFree",
        args: [sessionId, 90n * USD6, asked],
      });
      await world.assign(sessionId, beta, { from: payer, as: role.backup });
      expect(await codeOf(world.assign(sessionId, gamma))).to.equal("SessionReplicasFull");
      await world.send(world.actors.owner, world.registry, "setDraining", [gamma.nodeId, true]);
      expect(await codeOf(world.assign(sessionId, gamma))).to.equal("SessionNodeNotEligible");
      const key = world.accountAt(8);
      await world.send(payer, world.vault, "authorizeKey", [key, 1n, (await world.now()) + 900]);
      await world.assign(sessionId, alpha, { from: key, allotmentUsd6: 11n * USD6 });
      const { purse } = await world.sessionOf(sessionId);
      expect(purse).to.include({ freeUsd6: 79n * USD6, replicas: 2, lanes: 2 });
    });

    it("are raised at once, even while the node is leaving, and never lowered but by a release", async () => {
      const { alpha } = world.nodes;
      const { sessionId } = await world.aLane();
      await world.send(world.actors.owner, world.registry, "setDraining", [alpha.nodeId, true]);
      await world.assign(sessionId, alpha, { allotmentUsd6: 12n * USD6 });
      expect(await revertOf(world.assign(sessionId, alpha, { allotmentUsd6: 11n * USD6 }))).to.deep.equal({
        name: "SessionAllotmentLower",
        args: [12n * USD6, 11n * USD6],
      });
    });

    it("give their unspent money back one settle window after a release by keeper or payer", async () => {
      const { alpha } = world.nodes;
      const { sessionId, book } = await world.aLane();
      expect(await codeOf(release(world.actors.stranger, sessionId, alpha.nodeId))).to.equal("SessionNotAllowed");
      const receipt = await release(world.actors.keeper, sessionId, alpha.nodeId);
      const reclaimableAt = (await world.now()) + WINDOW_S;
      expect(eventsOf(receipt, world.settlement, "ReplicaReleased")).to.deep.equal([
        { sessionId, nodeId: alpha.nodeId, reclaimableAt },
      ]);
      expect(await codeOf(release(world.actors.keeper, sessionId, alpha.nodeId))).to.equal("SessionLaneWrongState");
      await world.settle([(await world.bill(book, [exec(1_000)])).settlement]);
      expect(await revertOf(reclaim(sessionId, alpha.nodeId))).to.deep.equal({
        name: "SessionLaneNotReclaimable",
        args: [sessionId, alpha.nodeId, reclaimableAt],
      });
      await world.increaseTo(reclaimableAt);
      const reclaimed = await reclaim(sessionId, alpha.nodeId);
      const unspentUsd6 = 10n * USD6 - 100n;
      expect(eventsOf(reclaimed, world.settlement, "LaneReclaimed")).to.deep.equal([
        { sessionId, nodeId: alpha.nodeId, unspentUsd6 },
      ]);
      expect((await world.sessionOf(sessionId)).purse).to.include({ freeUsd6: 100n * USD6 - 100n, replicas: 0, lanes: 0 });
      expect(await codeOf(reclaim(sessionId, alpha.nodeId))).to.equal("SessionLaneWrongState");
      expect(await codeOf(reclaim(sessionId, 99))).to.equal("SessionLaneWrongState");
    });

    it("are free at once when the node gives them up, by its owner or its operator of now", async () => {
      const { alpha } = world.nodes;
      const { sessionId } = await world.aLane();
      const former = alpha.operator.address;
      const { helpers } = { helpers: world.connection.networkHelpers };
      await helpers.setBalance(former, 10n ** 18n);
      const next = keyOf("alpha next operator");
      const expiry = 2n ** 40n;
      const consent = await world.bind(world.actors.owner, next, expiry);
      await world.send(world.actors.owner, world.registry, "rotateOperator", [alpha.nodeId, next.address, expiry, consent]);
      const retired = world.send(alpha.operator, world.settlement, "releaseReplica", [sessionId, alpha.nodeId]);
      expect(await codeOf(retired)).to.equal("SessionNotAllowed");
      await release(world.actors.keeper, sessionId, alpha.nodeId);
      await helpers.setBalance(next.address, 10n ** 18n);
      await world.send(next, world.settlement, "releaseReplica", [sessionId, alpha.nodeId]);
      await reclaim(sessionId, alpha.nodeId);
      expect((await world.laneOf(sessionId, alpha.nodeId)).state).to.equal(laneState.reclaimed);
    });

    it("go on where they stopped when the node is assigned again, with the power they began with", async () => {
      const { alpha } = world.nodes;
      const { sessionId, book } = await world.aLane();
      const first = await world.bill(book, [exec(1_000)]);
      await world.settle([first.settlement]);
      await release(world.actors.keeper, sessionId, alpha.nodeId);
      await world.assign(sessionId, alpha, { allotmentUsd6: 10n * USD6 });
      expect((await world.laneOf(sessionId, alpha.nodeId)).state, "before it was reclaimed").to.equal(laneState.active);
      await release(world.actors.owner, sessionId, alpha.nodeId);
      await reclaim(sessionId, alpha.nodeId);
      const nodeClass = { minimumPowerCu: 2_000, minimumStakeWei: 1n, enabled: true };
      await world.send(world.actors.deployer, world.registry, "setNodeClass", [0, "cpu", nodeClass]);
      await world.assign(sessionId, alpha, { allotmentUsd6: 1_000n });
      const lane = await world.laneOf(sessionId, alpha.nodeId);
      expect(lane.money).to.include({ powerCu: 1_000, seq: 1, paidUsd6: 100n, allotmentUsd6: 1_000n });
      await world.settle([(await world.bill(first.book, [exec(500)])).settlement]);
      expect((await world.laneOf(sessionId, alpha.nodeId)).money).to.include({ paidUsd6: 150n, seq: 2 });
    });
  });
});

/**
 * Sessions, lanes and claims in the second in which something ends, and with the last base unit: what is still the
 * node's, what is the payer's again, and what no event says. Every test says where the money ended.
 */
import { after, before, beforeEach, describe, it } from "node:test";
import { sessionLimits } from "@ngpu/protocol/session/sessionLimits";
import { expect } from "chai";
import type { Hex } from "viem";
import { eventsOf } from "./support/chain.ts";
import { noPermit } from "./support/permit.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import {
  bookOf,
  createSessionWorld,
  exec,
  fault,
  floorState,
  laneState,
  role,
  sessionReceipt,
  STAKE_WEI_PER_USD6,
  treasury,
  WINDOW_S,
  type SessionWorld,
} from "./support/sessions.ts";
import { hashOf } from "./support/tasks.ts";
import { keyOf, USD6 } from "./support/world.ts";

const CAP = 100n * USD6;
const ALLOTTED = 10n * USD6;

describe("SessionSettlement in its last seconds", () => {
  let world: SessionWorld;
  before(async () => {
    world = await createSessionWorld();
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  type OnLane = "reclaimLane" | "releaseReplica" | "burnFloor" | "collect";
  const onLane = (name: OnLane, sessionId: Hex, options: { from?: Hex; at?: number } = {}) => {
    const { from = world.actors.stranger, ...rest } = options;
    return world.send(from, world.settlement, name, [sessionId, world.nodes.alpha.nodeId], rest);
  };
  const onSession = (name: "close" | "finish", sessionId: Hex, options: { at?: number } = {}) =>
    world.send(world.actors.payer, world.settlement, name, [sessionId], options);
  const settleAt = (settlement: Parameters<SessionWorld["settle"]>[0][number], at: number) =>
    world.send(world.actors.stranger, world.settlement, "settle", [[settlement]], { at });
  async function claim(sessionId: Hex, count: number, options: { at?: number } = {}) {
    const { alpha } = world.nodes;
    const signed = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        sessionReceipt(world, { sessionId, node: alpha, seq: BigInt(index + 1) }),
      ),
    );
    const receipts = signed.map(({ message }) => message);
    const signatures = signed.map(({ signature }) => signature);
    const args = [sessionId, alpha.nodeId, receipts, signatures] as const;
    return world.send(alpha.owner, world.settlement, "claimFloor", args, options);
  }
  const creditOf = async (account: Hex) => (await world.accountOf(account)).creditUsd6;
  const purseOf = async (sessionId: Hex) => (await world.sessionOf(sessionId)).purse;
  const alphaLane = (sessionId: Hex) => world.laneOf(sessionId, world.nodes.alpha.nodeId);

  it("opens for a second or for ninety days, and for neither less nor more: only then is the cap held", async () => {
    const at = (await world.now()) + 100;
    const longest = sessionLimits.maxSessionS;
    for (const [ahead, fits] of [[0, false], [1, true], [longest, true], [longest + 1, false]] as const) {
      const params = await world.anOpen({ expiresAt: at + ahead });
      const snapshot = await world.connection.networkHelpers.takeSnapshot();
      const act = world.send(world.actors.payer, world.settlement, "open", [params, noPermit], { at });
      if (fits) await act;
      else {
        expect(await revertOf(act)).to.deep.equal({
          name: "SessionExpiryOutOfRange",
          args: [at + ahead, at + 1, at + longest],
        });
      }
      expect(await world.heldUsd6(), `${ahead} s`).to.equal(fits ? CAP : 0n);
      await snapshot.restore();
    }
  });

  it("gives the payer back what its key opened with, and frees it of the obligation", async () => {
    const { payer, stranger } = world.actors;
    const key = world.accountAt(8);
    await world.send(payer, world.vault, "deposit", [payer, 50n]);
    await world.send(payer, world.vault, "authorizeKey", [key, 50n, (await world.now()) + 10_000]);
    const params = await world.anOpen({ spendCapUsd6: 30n });
    const receipt = await world.send(key, world.settlement, "openFor", [payer, params]);
    const sessionId = eventsOf(receipt, world.settlement, "SessionOpened")[0]?.sessionId ?? "0x";
    const topUp = await world.send(key, world.settlement, "topUp", [sessionId, 20n, noPermit]);
    expect(eventsOf(topUp, world.vault, "KeySpent")[0]).to.include({ amountUsd6: 20n, capLeftUsd6: 0n });
    expect(await world.heldUsd6()).to.equal(50n);
    expect(await codeOf(world.send(payer, world.vault, "withdraw", [payer, 1n]))).to.equal("PaymentWithdrawalThaws");
    await world.send(key, world.settlement, "close", [sessionId]);
    await world.increase(WINDOW_S);
    await world.send(stranger, world.settlement, "finish", [sessionId]);
    expect(await purseOf(sessionId)).to.include({ freeUsd6: 0n, returnedUsd6: 50n, putInUsd6: 50n });
    await world.send(payer, world.vault, "withdraw", [payer, 50n]);
    expect(await world.heldUsd6()).to.equal(0n);
  });

  it("pays a voucher in the last second of the settle window; in the next the rest is the payer's", async () => {
    const { sessionId, book } = await world.aLane();
    const first = await world.bill(book, [exec(1_000)]);
    const second = await world.bill(first.book, [exec(1_000)]);
    await onSession("close", sessionId);
    const end = (await world.now()) + WINDOW_S;
    expect(await codeOf(onSession("finish", sessionId, { at: end - 3 }))).to.equal("SessionStillSettling");
    expect(await codeOf(onLane("reclaimLane", sessionId, { at: end - 2 }))).to.equal("SessionLaneNotReclaimable");
    await settleAt(first.settlement, end - 1);
    await onLane("reclaimLane", sessionId, { at: end });
    expect(await alphaLane(sessionId)).to.include({ state: laneState.reclaimed, releasedAt: 0 });
    expect(await purseOf(sessionId)).to.include({ replicas: 0, lanes: 0, freeUsd6: CAP - 100n });
    const late = await settleAt(second.settlement, end + 1);
    expect(eventsOf(late, world.settlement, "VoucherRefused")[0]?.code).to.equal(fault.windowOver);
    await onSession("finish", sessionId);
    expect((await world.accountOf(world.actors.payer)).availableUsd6).to.equal(CAP - 100n);
    expect((await creditOf(world.nodes.alpha.payout)) + (await creditOf(treasury))).to.equal(100n);
  });

  it("finishes in the first second after the window, and says nothing of money where nothing is left", async () => {
    const { alpha } = world.nodes;
    const { sessionId, book } = await world.aLane(alpha, { spendCapUsd6: 50n }, 50n);
    const billed = await world.settle([(await world.bill(book, [exec(1_000)])).settlement]);
    const payments = eventsOf(billed, world.vault, "PaidFromHeld").map(({ payee, amountUsd6 }) => [payee, amountUsd6]);
    expect(payments, "half a base unit of fee is none").to.deep.equal([[alpha.payout, 50n]]);
    await onSession("close", sessionId);
    const end = (await world.now()) + WINDOW_S;
    await onLane("releaseReplica", sessionId, { from: alpha.owner });
    await onLane("reclaimLane", sessionId);
    const finished = await onSession("finish", sessionId, { at: end });
    expect(eventsOf(finished, world.settlement, "SessionFinished")[0]?.returnedUsd6).to.equal(0n);
    expect(eventsOf(finished, world.vault, "ReturnedFromHeld")).to.deep.equal([]);
    expect([await world.heldUsd6(), await creditOf(alpha.payout)]).to.deep.equal([0n, 50n]);
  });

  it("settles a bill of less than a base unit without a payment, and the next one counts it", async () => {
    const { alpha } = world.nodes;
    const { sessionId, book } = await world.aLane();
    const first = await world.bill(book, [exec(9)]);
    const nothing = await world.settle([first.settlement]);
    expect(eventsOf(nothing, world.settlement, "BillsSettled")[0]).to.include({ paidUsd6: 0n, feeUsd6: 0n });
    expect(eventsOf(nothing, world.vault, "PaidFromHeld")).to.deep.equal([]);
    await world.settle([(await world.bill(first.book, [exec(1)])).settlement]);
    expect(await creditOf(alpha.payout)).to.equal(1n);
    expect((await alphaLane(sessionId)).money).to.include({ paidUsd6: 1n, seq: 2, weight: 100_000n });
  });

  it("takes a former signer's voucher in the last second of its window and in no later one", async () => {
    const { payer } = world.actors;
    const replace = (sessionId: Hex, label: string, at?: number) =>
      world.send(payer, world.settlement, "replaceSigner", [sessionId, keyOf(label).address], at === undefined ? {} : { at });
    const { sessionId, book } = await world.aLane();
    const first = await world.bill(book, [exec(1_000)]);
    const second = await world.bill(first.book, [exec(1_000)]);
    await replace(sessionId, "next signer");
    const until = (await world.now()) + WINDOW_S;
    expect(await revertOf(replace(sessionId, "third signer", until - 2))).to.deep.equal({
      name: "SessionSignerThawing",
      args: [sessionId, until],
    });
    await settleAt(first.settlement, until - 1);
    const snapshot = await world.connection.networkHelpers.takeSnapshot();
    const late = await settleAt(second.settlement, until);
    expect(eventsOf(late, world.settlement, "VoucherRefused")[0]?.code).to.equal(fault.signatureInvalid);
    expect((await alphaLane(sessionId)).money.paidUsd6).to.equal(100n);
    await snapshot.restore();
    await replace(sessionId, "third signer", until);
    expect((await world.sessionOf(sessionId)).terms.signer).to.equal(keyOf("third signer").address);
  });

  it("changes a lane's role without touching its money, and forgets its release once it is given again", async () => {
    const { alpha } = world.nodes;
    const { sessionId } = await world.aLane();
    const receipt = await world.assign(sessionId, alpha, { as: role.backup });
    expect(eventsOf(receipt, world.settlement, "ReplicaAssigned")[0]).to.include({ role: role.backup });
    expect(await alphaLane(sessionId)).to.include({ role: role.backup, state: laneState.active });
    await onLane("releaseReplica", sessionId, { from: world.actors.keeper });
    expect(await purseOf(sessionId)).to.include({ replicas: 0, lanes: 1 });
    await world.assign(sessionId, alpha);
    expect(await alphaLane(sessionId)).to.include({ role: role.primary, state: laneState.active, releasedAt: 0 });
    expect(await purseOf(sessionId)).to.include({ replicas: 1, lanes: 1, freeUsd6: CAP - ALLOTTED });
  });

  it("lets a node go earlier than its keeper said, never at the same second again: the money waits until then", async () => {
    const { alpha } = world.nodes;
    const { sessionId } = await world.aLane();
    await onLane("releaseReplica", sessionId, { from: world.actors.keeper });
    const releasedAt = (await world.now()) + WINDOW_S;
    expect(await codeOf(onLane("reclaimLane", sessionId, { at: releasedAt - 1 }))).to.equal("SessionLaneNotReclaimable");
    const again = onLane("releaseReplica", sessionId, { from: alpha.owner, at: releasedAt });
    expect(await codeOf(again)).to.equal("SessionLaneWrongState");
    expect((await purseOf(sessionId)).freeUsd6).to.equal(CAP - ALLOTTED);
    await onLane("reclaimLane", sessionId);
    expect(await purseOf(sessionId)).to.include({ freeUsd6: CAP, lanes: 0 });
    expect(await alphaLane(sessionId)).to.include({ state: laneState.reclaimed, releasedAt: 0 });
    await world.restore();
    const other = await world.aLane();
    await onLane("releaseReplica", other.sessionId, { from: world.actors.keeper });
    const at = (await world.now()) + WINDOW_S;
    await onLane("reclaimLane", other.sessionId, { at });
    expect((await purseOf(other.sessionId)).freeUsd6, "in the very second").to.equal(CAP);
  });

  it("ends no claim when a keeper releases the lane, and speaks of none where a node without one leaves", async () => {
    const { alpha } = world.nodes;
    const { sessionId } = await world.aLane();
    await claim(sessionId, 1);
    const kept = await onLane("releaseReplica", sessionId, { from: world.actors.keeper });
    expect(eventsOf(kept, world.settlement, "FloorClaimEnded")).to.deep.equal([]);
    expect((await alphaLane(sessionId)).floor).to.equal(floorState.claimed);
    await world.increase(WINDOW_S);
    const [burned] = eventsOf(await onLane("burnFloor", sessionId), world.settlement, "FloorBurned");
    expect(burned?.burnedUsd6).to.equal(100n);
    const third = await world.aLane(alpha, { clientNonce: hashOf("third") });
    await claim(third.sessionId, 1);
    const gaveUp = await onLane("releaseReplica", third.sessionId, { from: alpha.owner });
    expect(eventsOf(gaveUp, world.settlement, "FloorClaimEnded"), "with its lane a node gives up its claim").to.have.length(1);
    const other = await world.aLane(alpha, { clientNonce: hashOf("other") });
    const left = await onLane("releaseReplica", other.sessionId, { from: alpha.owner });
    expect(eventsOf(left, world.settlement, "FloorClaimEnded")).to.deep.equal([]);
    expect((await alphaLane(other.sessionId)).floor).to.equal(floorState.unclaimed);
  });

  it("takes a claim of sixty-four receipts in the last second of the window, and none in the next", async () => {
    const { sessionId } = await world.aLane();
    await onSession("close", sessionId);
    const end = (await world.now()) + WINDOW_S;
    const snapshot = await world.connection.networkHelpers.takeSnapshot();
    expect(await revertOf(claim(sessionId, 1, { at: end }))).to.deep.equal({
      name: "SessionWindowOver",
      args: [sessionId, end],
    });
    await snapshot.restore();
    const claimed = await claim(sessionId, sessionLimits.maxClaimReceipts, { at: end - 1 });
    expect(eventsOf(claimed, world.settlement, "FloorClaimed")[0]).to.include({
      claimSeq: 64n,
      claimUsd6: 6_000n,
      burnableAt: end - 1 + WINDOW_S,
    });
    expect(await world.heldUsd6()).to.equal(CAP);
  });

  it("burns from the second it said until the one in which the claim lapses: then the payer has all of it", async () => {
    const { sessionId, book } = await world.aLane();
    const answer = await world.bill(book, [exec(1_000)]);
    await onSession("close", sessionId);
    const claimedAt = (await world.now()) + WINDOW_S - 1;
    await claim(sessionId, 1, { at: claimedAt });
    const [burnableAt, lapsesAt] = [claimedAt + WINDOW_S, claimedAt + 2 * WINDOW_S];
    expect(await codeOf(onLane("burnFloor", sessionId, { at: burnableAt - 1 }))).to.equal("SessionClaimNotBurnable");
    const snapshot = await world.connection.networkHelpers.takeSnapshot();
    const [burned] = eventsOf(
      await onLane("burnFloor", sessionId, { at: lapsesAt - 1 }),
      world.settlement,
      "FloorBurned",
    );
    expect(burned?.burnedUsd6).to.equal(100n);
    expect(await purseOf(sessionId)).to.include({ putInUsd6: CAP - 100n, freeUsd6: CAP - ALLOTTED });
    expect((await alphaLane(sessionId)).money.allotmentUsd6).to.equal(ALLOTTED - 100n);
    await snapshot.restore();
    expect(await codeOf(onLane("reclaimLane", sessionId, { at: lapsesAt - 1 }))).to.equal("SessionLaneNotReclaimable");
    const lapsed = await world.connection.networkHelpers.takeSnapshot();
    const late = await settleAt(answer.settlement, lapsesAt);
    expect(eventsOf(late, world.settlement, "VoucherRefused")[0]?.code).to.equal(fault.windowOver);
    await lapsed.restore();
    expect(await codeOf(onLane("burnFloor", sessionId, { at: lapsesAt }))).to.equal("SessionClaimNotBurnable");
    await onLane("reclaimLane", sessionId);
    await onSession("finish", sessionId);
    expect((await world.accountOf(world.actors.payer)).availableUsd6).to.equal(CAP);
  });

  it("burns nothing of the payer's where the node has no stake, and no payment says otherwise", async () => {
    const { alpha } = world.nodes;
    const { sessionId } = await world.aLane();
    await claim(sessionId, 1);
    await world.send(world.actors.deployer, world.locks, "setStake", [alpha.nodeId, 0n]);
    await world.increase(WINDOW_S);
    const receipt = await onLane("burnFloor", sessionId);
    expect(eventsOf(receipt, world.vault, "PaidFromHeld")).to.deep.equal([]);
    expect(await world.heldUsd6()).to.equal(CAP);
    expect((await alphaLane(sessionId)).floor).to.equal(floorState.burned);
    expect(await purseOf(sessionId)).to.include({ putInUsd6: CAP });
  });

  it("collects what is free, then what was returned, each base unit once and with its fee: nothing is collected twice", async () => {
    const { alpha, beta } = world.nodes;
    const { payer } = world.actors;
    const { sessionId, book } = await world.aLane(alpha, { spendCapUsd6: 1_000n }, 100n);
    await world.settle([(await world.bill(book, [exec(9_000)])).settlement]);
    const free = await onLane("collect", sessionId);
    expect(eventsOf(free, world.settlement, "OwedCollected")[0]).to.include({
      paidUsd6: 800n,
      feeUsd6: 8n,
      recoveredUsd6: 0n,
      owedUsd6: 0n,
    });
    expect(eventsOf(free, world.vault, "PaidFromHeld").map(({ amountUsd6 }) => amountUsd6)).to.deep.equal([792n, 8n]);
    expect(await purseOf(sessionId)).to.include({ freeUsd6: 100n });
    expect(await codeOf(onLane("collect", sessionId))).to.equal("SessionNothingOwed");

    await world.restore();
    const other = await world.aLane(alpha, { spendCapUsd6: 1_000n }, 0n);
    await world.assign(other.sessionId, beta, { allotmentUsd6: 1_000n });
    await world.settle([(await world.bill(bookOf(other.sessionId, alpha), [exec(2_000)])).settlement]);
    await onSession("close", other.sessionId);
    await world.increase(WINDOW_S);
    for (const { nodeId } of [alpha, beta]) {
      await world.send(payer, world.settlement, "reclaimLane", [other.sessionId, nodeId]);
    }
    await onSession("finish", other.sessionId);
    const recovered = await onLane("collect", other.sessionId);
    expect(eventsOf(recovered, world.settlement, "OwedCollected")[0]).to.include({
      paidUsd6: 200n,
      feeUsd6: 0n,
      recoveredUsd6: 200n,
      owedUsd6: 0n,
    });
    expect(eventsOf(recovered, world.vault, "PaidFromHeld"), "it left the pot before").to.deep.equal([]);
    expect(await purseOf(other.sessionId)).to.include({ returnedUsd6: 800n });
    expect([await creditOf(alpha.payout), (await world.accountOf(payer)).availableUsd6]).to.deep.equal([200n, 800n]);
  });

  it("collects nothing from a payer that took out what the session returned: the debt stands, and nobody is credited", async () => {
    const { alpha, beta } = world.nodes;
    const { payer } = world.actors;
    const { sessionId, book } = await world.aLane(alpha, { spendCapUsd6: 1_000n }, 0n);
    await world.assign(sessionId, beta, { allotmentUsd6: 1_000n });
    await world.settle([(await world.bill(book, [exec(2_000)])).settlement]);
    await onSession("close", sessionId);
    await world.increase(WINDOW_S);
    for (const { nodeId } of [alpha, beta]) {
      await world.send(payer, world.settlement, "reclaimLane", [sessionId, nodeId]);
    }
    await onSession("finish", sessionId);
    await world.send(payer, world.vault, "withdraw", [payer, 999n]);
    const [last] = eventsOf(await onLane("collect", sessionId), world.settlement, "OwedCollected");
    expect(last).to.include({ recoveredUsd6: 1n, owedUsd6: 199n });
    expect(await codeOf(onLane("collect", sessionId))).to.equal("SessionNothingOwed");
    expect(await creditOf(alpha.payout)).to.equal(1n);
    expect(await purseOf(sessionId)).to.include({ returnedUsd6: 999n });
  });

  it("collects out of a raised lane first, and takes the free money of the session only for what is missing", async () => {
    const { alpha } = world.nodes;
    const { sessionId, book } = await world.aLane(alpha, { spendCapUsd6: 1_000n }, 10n);
    await world.settle([(await world.bill(book, [exec(1_000)])).settlement]);
    await world.assign(sessionId, alpha, { allotmentUsd6: 500n });
    const receipt = await onLane("collect", sessionId);
    expect(eventsOf(receipt, world.settlement, "OwedCollected")[0]).to.include({ paidUsd6: 90n, owedUsd6: 0n });
    expect(await purseOf(sessionId)).to.include({ freeUsd6: 500n });
    expect((await alphaLane(sessionId)).money).to.include({ paidUsd6: 100n, allotmentUsd6: 500n });
    expect(await creditOf(alpha.payout)).to.equal(100n);
  });

  it("recovers a debt of one base unit from what the session returned, and locks stake worth it", async () => {
    const { alpha } = world.nodes;
    const { sessionId, book } = await world.aLane(alpha, { spendCapUsd6: 1_000n }, 0n);
    await world.settle([(await world.bill(book, [exec(10)])).settlement]);
    await onLane("releaseReplica", sessionId, { from: alpha.owner });
    await onLane("reclaimLane", sessionId);
    await onSession("close", sessionId);
    await world.increase(WINDOW_S);
    await onSession("finish", sessionId);
    const receipt = await onLane("collect", sessionId);
    expect(eventsOf(receipt, world.settlement, "OwedCollected")[0]).to.include({ recoveredUsd6: 1n, owedUsd6: 0n });
    const locked = { ...world.locks, functionName: "lockedOf", args: [alpha.nodeId] } as const;
    expect(await world.publicClient.readContract(locked)).to.equal(STAKE_WEI_PER_USD6);
    expect([await creditOf(alpha.payout), (await world.accountOf(world.actors.payer)).availableUsd6]).to.deep.equal([
      1n,
      999n,
    ]);
  });

  it("locks each node's stake for its own bills of a batch to the wei, and credits each what it earned", async () => {
    const { alpha, beta } = world.nodes;
    const { sessionId, book } = await world.aLane();
    await world.assign(sessionId, beta);
    const mine = await world.bill(book, [exec(1_000)]);
    const theirs = await world.bill(bookOf(sessionId, beta), [exec(2_000)]);
    await world.settle([mine.settlement, theirs.settlement]);
    for (const [node, paid] of [[alpha, 100n], [beta, 200n]] as const) {
      const locked = { ...world.locks, functionName: "lockedOf", args: [node.nodeId] } as const;
      expect(await world.publicClient.readContract(locked)).to.equal(paid * STAKE_WEI_PER_USD6);
      expect(await creditOf(node.payout)).to.equal(paid - paid / 100n);
    }
    expect(await world.heldUsd6()).to.equal(CAP - 300n);
  });

  it("keeps the signer of a session that has closed: the node's last vouchers are paid, whatever the payer wishes", async () => {
    const { payer } = world.actors;
    const { sessionId, book } = await world.aLane();
    const last = await world.bill(book, [exec(1_000)]);
    await onSession("close", sessionId);
    const replace = world.send(payer, world.settlement, "replaceSigner", [sessionId, keyOf("next signer").address]);
    expect(await revertOf(replace)).to.deep.equal({ name: "SessionNotOpen", args: [sessionId] });
    expect((await world.sessionOf(sessionId)).formerUntil).to.equal(0);
    await world.settle([last.settlement]);
    expect(await creditOf(world.nodes.alpha.payout)).to.equal(99n);
  });
});

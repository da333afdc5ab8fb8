/** The session rail at the last second, the largest weight and the end of time; and what a claim's evidence is. */
import { after, before, beforeEach, describe, it } from "node:test";
import { billing, type BillRecord } from "@ngpu/protocol/session/packedBills";
import { dueUsd6 } from "@ngpu/protocol/session/sessionMoney";
import { receiptHashOf } from "@ngpu/protocol/taskWords";
import { expect } from "chai";
import { encodeAbiParameters, keccak256, parseAbiParameters, zeroHash, type Hex } from "viem";
import { eventsOf } from "./support/chain.ts";

import { noPermit } from "./support/permit.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import {
  createSessionWorld,
  exec,
  fault,
  floorState,
  sessionReceipt,
  WINDOW_S,
  type SessionWorld,
} from "./support/sessions.ts";
import { USD6 } from "./support/world.ts";

const MAX_U32 = 2 ** 32 - 1;
const MAX_U64 = 2n ** 64n - 1n;
/** At which 64 bits of weight cost what a payer can have. */
const CHEAP_USD6 = 1_000n;

describe("SessionSettlement at its edges", () => {
  let world: SessionWorld;
  before(async () => {
    world = await createSessionWorld();
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  async function claim(sessionId: Hex, from: bigint, durationsMs: readonly number[]) {
    const { alpha } = world.nodes;
    const signed = await Promise.all(
      durationsMs.map((durationMs, i) =>
        sessionReceipt(world, { sessionId, node: alpha, seq: from + BigInt(i), durationMs }),
      ),
    );
    const receipts = signed.map(({ message }) => message);
    const signatures = signed.map(({ signature }) => signature);
    const args = [sessionId, alpha.nodeId, receipts, signatures] as const;
    return { receipts, receipt: await world.send(alpha.owner, world.settlement, "claimFloor", args) };
  }
  const purseOf = async (sessionId: Hex) => (await world.sessionOf(sessionId)).purse;

  it("takes no money in the second in which a session closes: the payer keeps it in its wallet", async () => {
    const { payer } = world.actors;
    const { sessionId, params } = await world.open();
    const topUp = (at: number) => world.send(payer, world.settlement, "topUp", [sessionId, USD6, noPermit], { at });
    expect(await codeOf(topUp(params.expiresAt))).to.equal("SessionNotOpen");
    expect((await purseOf(sessionId)).putInUsd6).to.equal(100n * USD6);
    expect(await world.heldUsd6()).to.equal(100n * USD6);
    await world.restore();
    const again = await world.open();
    const receipt = await world.send(payer, world.settlement, "topUp", [again.sessionId, USD6, noPermit], {
      at: again.params.expiresAt - 1,
    });
    expect(eventsOf(receipt, world.settlement, "SessionToppedUp")).to.have.length(1);
    expect(await world.heldUsd6()).to.equal(101n * USD6);
  });

  it("chains every claimed receipt into the evidence that the slash names, and burns the claim alone", async () => {
    const { sessionId } = await world.aLane();
    const { receipts, receipt } = await claim(sessionId, 1n, [1_000, 500]);
    const link = parseAbiParameters("bytes32 before, bytes32 receipt");
    const evidence = receipts.reduce<Hex>(
      (before, each) => keccak256(encodeAbiParameters(link, [before, receiptHashOf(each)])),
      zeroHash,
    );
    expect(eventsOf(receipt, world.settlement, "FloorClaimed")[0]).to.include({ evidence, claimUsd6: 150n });
    await world.increase(WINDOW_S);
    await world.send(world.actors.stranger, world.settlement, "burnFloor", [sessionId, world.nodes.alpha.nodeId]);
    const order = await world.publicClient.readContract({ ...world.locks, functionName: "lastOrder" });
    expect(order[2]).to.equal(evidence);
    expect(await world.heldUsd6()).to.equal(100n * USD6 - 150n);
  });

  it("takes no claim on a reclaimed lane: its allotment is the payer's again, and no stake is at risk", async () => {
    const { alpha } = world.nodes;
    const { owner, stranger } = world.actors;
    const { sessionId } = await world.aLane();
    await world.send(owner, world.settlement, "releaseReplica", [sessionId, alpha.nodeId]);
    await world.send(stranger, world.settlement, "reclaimLane", [sessionId, alpha.nodeId]);
    expect(await revertOf(claim(sessionId, 1n, [1_000]))).to.deep.equal({
      name: "SessionLaneWrongState",
      args: [sessionId, alpha.nodeId],
    });
    expect((await world.laneOf(sessionId, alpha.nodeId)).floor).to.equal(floorState.unclaimed);
    expect((await purseOf(sessionId)).freeUsd6).to.equal(100n * USD6);
  });

  it("takes no claim whose weight does not fit, and bills all that does: 64 bits to the last ms", async () => {
    const { deployer, payer } = world.actors;
    await world.send(deployer, world.oracle, "setPrice", [CHEAP_USD6]);
    await world.send(deployer, world.usd, "transfer", [payer, 2_000_000n * USD6]);
    const cap = 2_000_000n * USD6;
    const lane = await world.aLane(world.nodes.alpha, { spendCapUsd6: cap }, cap);
    let book = lane.book;
    const settle = async (segments: readonly (readonly BillRecord[])[]) => {
      const billed = await world.bill(book, segments, { priceUsd6PerGcums: CHEAP_USD6 });
      const receipt = await world.settle([billed.settlement]);
      const refused = eventsOf(receipt, world.settlement, "VoucherRefused").map(({ code }) => code);
      if (refused.length === 0) book = billed.book;
      return refused;
    };
    const most = exec(...Array.from({ length: billing.maxRecords }, () => billing.maxMs));
    for (let i = 0; i < 19; i += 1) expect(await settle(Array.from({ length: 11 }, () => most))).to.deep.equal([]);
    const recordsLeft = Number((MAX_U64 - book.weight) / (BigInt(billing.maxMs) * billing.executionBps));
    expect(await settle([most.slice(0, recordsLeft)])).to.deep.equal([]);
    const msLeft = Number((MAX_U64 - book.weight) / billing.executionBps);

    expect(await codeOf(claim(lane.sessionId, book.seq + 1n, [msLeft + 1]))).to.equal("SessionClaimInvalid");
    expect(await settle([exec(msLeft + 1)])).to.deep.equal([fault.tooLarge]);
    expect(await settle([exec(msLeft)])).to.deep.equal([]);
    const { money } = await world.laneOf(lane.sessionId, world.nodes.alpha.nodeId);
    expect([money.weight, MAX_U64 - money.weight < billing.executionBps]).to.deep.equal([book.weight, true]);
    expect(money.paidUsd6).to.equal(dueUsd6({ ...book, priceUsd6PerGcums: CHEAP_USD6 }));
    expect(await world.heldUsd6(), "the rest is still the payer's").to.equal(cap - money.paidUsd6);
  });

  it("opens nothing beyond 2106, when its seconds end: the payer's money stays where it was", async () => {
    await world.increaseTo(MAX_U32 - 1_000);
    const now = await world.now();
    expect(await revertOf(world.open({ expiresAt: MAX_U32 + 1 }))).to.deep.equal({
      name: "SessionExpiryOutOfRange",
      args: [MAX_U32 + 1, now + 2, MAX_U32],
    });
    expect(await world.heldUsd6()).to.equal(0n);
  });
});

/** What a node can do against a payer that will not co-sign: contracts/session/SessionFloor.sol. */
import { after, before, beforeEach, describe, it } from "node:test";
import { receiptStatus, type Receipt } from "@ngpu/protocol/typedData";
import { expect } from "chai";
import { stringToHex, type Hex } from "viem";
import { eventsOf } from "./support/chain.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import {
  createSessionWorld,
  exec,
  floorState,
  sessionReceipt,
  STAKE_WEI_PER_USD6,
  WINDOW_S,
  type SessionWorld,
} from "./support/sessions.ts";
import { hashOf } from "./support/tasks.ts";
import { keyOf, NGPU_WEI } from "./support/world.ts";

const BURNED = "0x000000000000000000000000000000000000dEaD";

describe("SessionSettlement: the floor", () => {
  let world: SessionWorld;
  before(async () => {
    world = await createSessionWorld();
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  async function claim(sessionId: Hex, from: bigint, durations: readonly number[], change: Partial<Receipt> = {}) {
    const signed = await Promise.all(
      durations.map((durationMs, index) =>
        sessionReceipt(world, { sessionId, node: world.nodes.alpha, seq: from + BigInt(index), durationMs, change }),
      ),
    );
    return world.send(world.actors.owner, world.settlement, "claimFloor", [
      sessionId,
      world.nodes.alpha.nodeId,
      signed.map(({ message }) => message),
      signed.map(({ signature }) => signature),
    ]);
  }
  const act = (name: "burnFloor" | "reclaimLane" | "releaseReplica", sessionId: Hex, from = world.actors.stranger) =>
    world.send(from, world.settlement, name, [sessionId, world.nodes.alpha.nodeId]);
  const stakeOf = async () => {
    const args = [world.nodes.alpha.nodeId] as const;
    return (await world.publicClient.readContract({ ...world.locks, functionName: "stakes", args }))[0];
  };
  const creditOf = async (account: Hex) => (await world.accountOf(account)).creditUsd6;

  it("burns the withheld amount and as much stake in value: neither side gains", async () => {
    const { alpha } = world.nodes;
    const { sessionId, book } = await world.aLane();
    await world.settle([(await world.bill(book, [exec(1_000)])).settlement]);
    const claimed = await claim(sessionId, 2n, [1_500, 500]);
    const burnableAt = (await world.now()) + WINDOW_S;
    expect(eventsOf(claimed, world.settlement, "FloorClaimed")[0]).to.include({
      sessionId,
      claimSeq: 3n,
      claimUsd6: 200n,
      burnableAt,
    });
    expect(await revertOf(act("burnFloor", sessionId))).to.deep.equal({
      name: "SessionClaimNotBurnable",
      args: [sessionId, alpha.nodeId, burnableAt, burnableAt + WINDOW_S],
    });
    await world.increaseTo(burnableAt);
    const [staked, earned, held] = [await stakeOf(), await creditOf(alpha.payout), await world.heldUsd6()];
    const burned = await act("burnFloor", sessionId);
    expect(eventsOf(burned, world.settlement, "FloorBurned")).to.deep.equal([
      { sessionId, nodeId: alpha.nodeId, burnedUsd6: 200n, slashId: 1n, slashedWei: 200n * STAKE_WEI_PER_USD6 },
    ]);
    expect(await stakeOf()).to.equal(staked - 200n * STAKE_WEI_PER_USD6);
    expect(await creditOf(alpha.payout)).to.equal(earned);
    expect(await creditOf(BURNED)).to.equal(200n);
    expect(await world.heldUsd6()).to.equal(held - 200n);
    const order = await world.publicClient.readContract({ ...world.locks, functionName: "lastOrder" });
    expect(order[1]).to.equal(stringToHex("SESSION_FLOOR", { size: 32 }));
    expect([order[4], order[6]], "nobody is paid").to.deep.equal([0n, 0n]);
    expect(await codeOf(act("burnFloor", sessionId))).to.equal("SessionClaimNotBurnable");
    expect(await revertOf(claim(sessionId, 2n, [10])), "once a lane").to.deep.equal({
      name: "SessionFloorClaimed",
      args: [sessionId, alpha.nodeId, burnableAt + WINDOW_S],
    });
  });

  it("ends when a voucher reaches what was claimed, and burns only the rest of what one covers in part", async () => {
    const { alpha } = world.nodes;
    const { sessionId, book } = await world.aLane();
    await claim(sessionId, 1n, [1_000, 1_000]);
    await world.settle([(await world.bill(book, [exec(1_000, 1_000)])).settlement]);
    await world.increase(WINDOW_S);
    expect(eventsOf(await act("burnFloor", sessionId), world.settlement, "FloorClaimEnded")).to.have.length(1);
    expect(await creditOf(BURNED)).to.equal(0n);
    expect((await world.laneOf(sessionId, alpha.nodeId)).floor).to.equal(floorState.covered);

    await world.restore();
    const again = await world.aLane();
    await claim(sessionId, 1n, [1_000, 1_000]);
    await world.settle([(await world.bill(again.book, [exec(1_000)])).settlement]);
    await world.increase(WINDOW_S);
    const [event] = eventsOf(await act("burnFloor", sessionId), world.settlement, "FloorBurned");
    expect(event?.burnedUsd6).to.equal(100n);
  });

  it("is at most one credit window, and at most what the lane has left", async () => {
    const floorOf = (sessionId: Hex) =>
      world.publicClient.readContract({
        ...world.settlement,
        functionName: "floorOf",
        args: [sessionId, world.nodes.alpha.nodeId],
      });
    const { sessionId } = await world.aLane();
    expect(await floorOf(sessionId), "60 s of 1,000 CU").to.equal(6_000n);
    const claimed = await claim(sessionId, 1n, [100_000]);
    expect(eventsOf(claimed, world.settlement, "FloorClaimed")[0]?.claimUsd6).to.equal(6_000n);
    const small = await world.aLane(world.nodes.alpha, { clientNonce: hashOf("small") }, 70n);
    expect(await floorOf(small.sessionId)).to.equal(70n);
  });

  it("counts what was paid as spent: no more burns than the lane has left", async () => {
    const { alpha } = world.nodes;
    const { sessionId, book } = await world.aLane(alpha, {}, 70n);
    await world.settle([(await world.bill(book, [exec(400)])).settlement]);
    const left = { ...world.settlement, functionName: "floorOf", args: [sessionId, alpha.nodeId] } as const;
    expect(await world.publicClient.readContract(left), "40 of 70 are paid").to.equal(30n);
    const held = await world.heldUsd6();
    await claim(sessionId, 2n, [2_000]);
    await world.increase(WINDOW_S);
    const [burned] = eventsOf(await act("burnFloor", sessionId), world.settlement, "FloorBurned");
    expect(burned).to.include({ burnedUsd6: 30n, slashedWei: 30n * STAKE_WEI_PER_USD6 });
    expect([await creditOf(BURNED), await world.heldUsd6()]).to.deep.equal([30n, held - 30n]);
  });

  it("ends when fewer records than were claimed come to more: the node has its pay, and nothing burns", async () => {
    const { alpha } = world.nodes;
    const { sessionId, book } = await world.aLane();
    await claim(sessionId, 1n, [1_000, 1_000]);
    await world.settle([(await world.bill(book, [exec(5_000)])).settlement]);
    await world.increase(WINDOW_S);
    const ended = await act("burnFloor", sessionId);
    expect(eventsOf(ended, world.settlement, "FloorClaimEnded")).to.deep.equal([{ sessionId, nodeId: alpha.nodeId }]);
    expect((await world.laneOf(sessionId, alpha.nodeId)).floor).to.equal(floorState.covered);
    expect(await stakeOf()).to.equal(1_000n * NGPU_WEI);
    expect([await creditOf(alpha.payout), await creditOf(BURNED)]).to.deep.equal([495n, 0n]);
  });

  it("takes no more from the payer than the stake vault took from the node", async () => {
    const { sessionId } = await world.aLane();
    await claim(sessionId, 1n, [2_000]);
    await world.send(world.actors.deployer, world.locks, "setReach", [50n * STAKE_WEI_PER_USD6 + 7n]);
    await world.increase(WINDOW_S);
    const [event] = eventsOf(await act("burnFloor", sessionId), world.settlement, "FloorBurned");
    expect(event).to.include({ burnedUsd6: 50n, slashedWei: 50n * STAKE_WEI_PER_USD6 + 7n });

    await world.restore();
    await world.aLane();
    await claim(sessionId, 1n, [2_000]);
    await world.send(world.actors.deployer, world.locks, "setStake", [world.nodes.alpha.nodeId, 0n]);
    await world.increase(WINDOW_S);
    const [none] = eventsOf(await act("burnFloor", sessionId), world.settlement, "FloorBurned");
    expect(none).to.include({ burnedUsd6: 0n, slashedWei: 0n });
  });

  it("keeps the lane's money in place until the claim has burned or lapsed, and no longer", async () => {
    const { sessionId } = await world.aLane();
    await world.send(world.actors.keeper, world.settlement, "releaseReplica", [sessionId, world.nodes.alpha.nodeId]);
    await claim(sessionId, 1n, [1_000]);
    const lapsesAt = (await world.now()) + 2 * WINDOW_S;
    await world.increase(WINDOW_S + 10);
    expect(await codeOf(act("reclaimLane", sessionId))).to.equal("SessionLaneNotReclaimable");
    await world.increaseTo(lapsesAt);
    expect(await codeOf(act("burnFloor", sessionId))).to.equal("SessionClaimNotBurnable");
    await act("reclaimLane", sessionId);
  });

  it("goes with the lane when the node gives it up", async () => {
    const { sessionId } = await world.aLane();
    await claim(sessionId, 1n, [1_000]);
    await act("releaseReplica", sessionId, world.actors.owner);
    await act("reclaimLane", sessionId);
    await world.increase(WINDOW_S);
    expect(await codeOf(act("burnFloor", sessionId))).to.equal("SessionClaimNotBurnable");
    expect(await stakeOf()).to.equal(1_000n * NGPU_WEI);
  });

  it("refuses receipts out of order, of another model, node, power or outcome, or signed by anyone else", async () => {
    const { alpha, beta } = world.nodes;
    const { sessionId } = await world.aLane();
    for (const [seq, change] of [
      [2n, {}],
      [1n, { modelId: hashOf("another") }],
      [1n, { nodeId: beta.nodeId }],
      [1n, { powerCu: 2_000 }],
      [1n, { status: receiptStatus.modelFailed }],
    ] as const) {
      expect(await revertOf(claim(sessionId, seq, [1_000], change))).to.deep.equal({
        name: "SessionReceiptInvalid",
        args: [0n],
      });
    }
    const forged = await sessionReceipt(world, { sessionId, node: alpha, seq: 1n, by: keyOf("stranger") });
    const good = await sessionReceipt(world, { sessionId, node: alpha, seq: 1n });
    const tryClaim = (messages: readonly Receipt[], signatures: readonly Hex[]) =>
      codeOf(
        world.send(world.actors.owner, world.settlement, "claimFloor", [sessionId, alpha.nodeId, messages, signatures]),
      );
    expect(await tryClaim([forged.message], [forged.signature])).to.equal("SessionReceiptInvalid");
    expect(await tryClaim([good.message, good.message], [good.signature, good.signature])).to.equal(
      "SessionReceiptInvalid",
    );
    expect(await tryClaim([], [])).to.equal("SessionClaimInvalid");
    expect(await tryClaim([good.message], [])).to.equal("SessionClaimInvalid");
    expect(await codeOf(claim(sessionId, 1n, Array.from({ length: 65 }, () => 1)))).to.equal("SessionClaimInvalid");
    expect(await codeOf(claim(sessionId, 1n, [0]))).to.equal("SessionClaimInvalid");
    await world.send(world.actors.payer, world.settlement, "close", [sessionId]);
    await world.increase(WINDOW_S);
    expect(await codeOf(claim(sessionId, 1n, [1_000]))).to.equal("SessionWindowOver");
  });
});

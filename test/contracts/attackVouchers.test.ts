/**
 * Vouchers, lanes and their time as deployed, one attack a test: what was tried, and that
 * the attacker is no better off and nobody else worse. Campaigns of several parties are in attacks.test.ts.
 */
import { after, before, beforeEach, describe, it } from "node:test";
import { expect } from "chai";
import { concatHex, encodeFunctionData, size, slice, type Hex } from "viem";
import { eventsOf } from "./support/chain.ts";
import { CAP_USD6, createParties, WINDOW_S, type Parties } from "./support/parties.ts";
import { noPermit } from "./support/permit.ts";
import { codeOf } from "./support/revert.ts";
import { bookOf, exec, fault, STAKE_WEI_PER_USD6, type Settlement } from "./support/sessions.ts";
import { hashOf } from "./support/tasks.ts";
import { NGPU_WEI, USD6 } from "./support/world.ts";

describe("Attacks on vouchers and lanes", () => {
  let world: Parties;
  before(async () => {
    world = await createParties();
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  const refusals = async (settlements: readonly Settlement[]) =>
    eventsOf(await world.settle(settlements), world.settlement, "VoucherRefused").map(({ code }) => code);
  const feeOf = (paidUsd6: bigint) => paidUsd6 / 100n;

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

    it("relay: calldata whose offsets point outside reverts whole, so only its writer breaks a batch", async () => {
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
        expect(
          await sent.then(
            () => "went through",
            () => "reverted",
          ),
          `word ${word}`,
        ).to.equal("reverted");
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
      const paidUsd6 = eventsOf(receipt, world.settlement, "BillsSettled").reduce(
        (sum, { paidUsd6: paid }) => sum + paid,
        0n,
      );
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
      expect(await codeOf(world.assign(sessionId, world.own, { allotmentUsd6: 1n }))).to.equal(
        "SessionInsufficientFree",
      );
      expect(await codeOf(world.onLane("reclaimLane", sessionId, alpha, { at: releasedAt - 2 }))).to.equal(
        "SessionLaneNotReclaimable",
      );
      const { settlement } = await world.bill(book, [exec(900_000)]);
      const bill = eventsOf(
        await world.settle([settlement], { at: releasedAt - 1 }),
        world.settlement,
        "BillsSettled",
      )[0];
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
      expect(await codeOf(world.onSession("finish", sessionId, { at: settleUntil - 3 }))).to.equal(
        "SessionStillSettling",
      );
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

    it("payer: a signer that is replaced, by its own node's key too, voids nothing signed before", async () => {
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

    it("node: stake locked by a fee stays a whole dispute window, on whichever side of a period it falls", async () => {
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

    it("keeper: lanes that it opens and closes to be in the way cost it twice the gas of clearing them", async () => {
      const { keeper, payer } = world.actors;
      const { alpha, beta, gamma } = world.nodes;
      const sessionId = await world.open({ maxReplicas: 1 });
      let [spent, cleared] = [0n, 0n];
      for (const node of [alpha, beta, gamma]) {
        spent += (await world.assign(sessionId, node, { from: keeper, allotmentUsd6: 0n })).gasUsed;
        spent += (await world.onLane("releaseReplica", sessionId, node, { from: keeper })).gasUsed;
      }
      await world.onSession("close", sessionId);
      await world.increase(WINDOW_S);
      expect(await codeOf(world.onSession("finish", sessionId))).to.equal("SessionLanesLeft");
      for (const node of [alpha, beta, gamma]) cleared += (await world.onLane("reclaimLane", sessionId, node)).gasUsed;
      await world.onSession("finish", sessionId);
      expect((await world.accountOf(payer)).availableUsd6).to.equal(CAP_USD6);
      expect(spent > 2n * cleared, `${spent} against ${cleared}`).to.equal(true);
    });
  });
});

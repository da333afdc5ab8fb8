/** From voucher to bill: contracts/session/SessionBilling.sol. */
import { after, before, beforeEach, describe, it } from "node:test";
import { billing, packBills } from "@ngpu/protocol/session/packedBills";
import { billsHashOf, firstHeadOf, nextHeadOf } from "@ngpu/protocol/session/voucherChain";
import type { Voucher } from "@ngpu/protocol/typedData";
import { expect } from "chai";
import { concat, type Hex } from "viem";
import { eventsOf } from "./support/chain.ts";
import { highS } from "./support/highS.ts";
import { noPermit } from "./support/permit.ts";
import { codeOf } from "./support/revert.ts";
import {
  billOn,
  bookOf,
  createSessionWorld,
  exec,
  fault,
  PRICE_USD6,
  STAKE_WEI_PER_USD6,
  standby,
  treasury,
  WINDOW_S,
  type LaneBook,
  type Settlement,
  type SessionWorld,
} from "./support/sessions.ts";
import { hashOf } from "./support/tasks.ts";
import { keyOf, USD6 } from "./support/world.ts";

const MAX_U64 = 2n ** 64n - 1n;

describe("SessionSettlement: vouchers and bills", () => {
  let world: SessionWorld;
  before(async () => {
    world = await createSessionWorld();
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  const creditOf = async (account: Hex) => (await world.accountOf(account)).creditUsd6;
  const lockedOf = (nodeId: number) =>
    world.publicClient.readContract({ ...world.locks, functionName: "lockedOf", args: [nodeId] });
  const collect = (sessionId: Hex, nodeId: number) =>
    world.send(world.actors.stranger, world.settlement, "collect", [sessionId, nodeId]);
  const faultsOf = async (...settlements: Settlement[]) =>
    eventsOf(await world.settle(settlements), world.settlement, "VoucherRefused").map(({ code }) => code);

  describe("behaviour", () => {
    it("prices executions and standby lines itself, credits node and treasury, locks stake and says everything", async () => {
      const { alpha } = world.nodes;
      const { sessionId, book } = await world.aLane();
      const records = [...exec(1_000, 255), ...standby(10_000), ...exec(0, 45)];
      const { settlement, voucher } = await world.bill(book, [records]);
      // (1,000 + 255 + 45) ms and a tenth of 10,000 ms, of 1,000 CU at 0.1 USD for 10⁹ CU·ms.
      const [paidUsd6, feeUsd6] = [230n, 2n];
      const receipt = await world.settle([settlement]);
      expect(eventsOf(receipt, world.settlement, "BillsSettled")).to.deep.equal([
        {
          sessionId,
          nodeId: alpha.nodeId,
          payer: world.actors.payer,
          firstSeq: 1n,
          powerCu: 1_000,
          priceUsd6PerGcums: PRICE_USD6,
          cumulativeUsd6: paidUsd6,
          paidUsd6,
          feeUsd6,
          owedUsd6: 0n,
          receiptsRoot: voucher.receiptsRoot,
          bills: packBills(records),
        },
      ]);
      expect(await creditOf(alpha.payout)).to.equal(paidUsd6 - feeUsd6);
      expect(await creditOf(treasury)).to.equal(feeUsd6);
      expect(await lockedOf(alpha.nodeId)).to.equal(paidUsd6 * STAKE_WEI_PER_USD6);
      expect(await world.heldUsd6()).to.equal(100n * USD6 - paidUsd6);
      const { money, head } = await world.laneOf(sessionId, alpha.nodeId);
      expect(money).to.include({ seq: 5, paidUsd6, weight: 23_000_000n });
      expect(head).to.equal(nextHeadOf(voucher));
    });

    it("rounds on the cumulative sum, so that the cut of vouchers changes no amount", async () => {
      const { alpha, beta } = world.nodes;
      const { sessionId, book } = await world.aLane();
      await world.assign(sessionId, beta);
      const one = await world.bill(book, [exec(7, 7, 7, 7, 7)]);
      const many = await world.bill(bookOf(sessionId, beta), [exec(7), exec(7), exec(7), exec(7), exec(7)]);
      const receipt = await world.settle([one.settlement, many.settlement]);
      const events = eventsOf(receipt, world.settlement, "BillsSettled");
      expect(events.map(({ cumulativeUsd6 }) => cumulativeUsd6)).to.deep.equal([3n, 0n, 1n, 2n, 2n, 3n]);
      expect(events.map(({ paidUsd6 }) => paidUsd6)).to.deep.equal([3n, 0n, 1n, 1n, 0n, 1n]);
      expect(events.map(({ firstSeq }) => firstSeq)).to.deep.equal([1n, 1n, 2n, 3n, 4n, 5n]);
      expect(await creditOf(alpha.payout)).to.equal(await creditOf(beta.payout));
    });

    it("needs only the last voucher's signature for all that come before it", async () => {
      const { book, sessionId } = await world.aLane();
      const first = await world.bill(book, [exec(1_000)]);
      const second = await world.bill(first.book, [exec(2_000)]);
      const segments = [...first.settlement.segments, ...second.settlement.segments];
      expect(await faultsOf({ ...second.settlement, segments })).to.deep.equal([]);
      expect((await world.laneOf(sessionId, book.nodeId)).money).to.include({ seq: 2, paidUsd6: 300n });
      expect(await faultsOf({ ...first.settlement, segments })).to.deep.equal([fault.signatureInvalid]);
    });

    it("gives consecutive settlements of a node one credit and one lock", async () => {
      const { alpha, beta } = world.nodes;
      const lanes = [];
      for (const nonce of ["a", "b", "c"]) {
        const { sessionId } = await world.open({ clientNonce: hashOf(nonce) });
        for (const node of [alpha, beta]) {
          await world.assign(sessionId, node);
          lanes.push({ node, book: bookOf(sessionId, node) });
        }
      }
      lanes.sort((a, b) => a.book.nodeId - b.book.nodeId);
      const signed = await Promise.all(lanes.map(({ book }) => world.bill(book, [exec(1_000)])));
      const receipt = await world.settle(signed.map(({ settlement }) => settlement));
      expect(
        eventsOf(receipt, world.vault, "PaidFromHeld").map(({ payee, amountUsd6 }) => ({ payee, amountUsd6 })),
      ).to.deep.equal([
        { payee: alpha.payout, amountUsd6: 297n },
        { payee: beta.payout, amountUsd6: 297n },
        { payee: treasury, amountUsd6: 6n },
      ]);
      expect(await lockedOf(alpha.nodeId)).to.equal(300n * STAKE_WEI_PER_USD6);
    });

    it("pays as far as the allotment reaches, records the rest as owed and collects it after a raise", async () => {
      const { alpha } = world.nodes;
      const { sessionId, book } = await world.aLane(alpha, { spendCapUsd6: 150n }, 60n);
      const { settlement } = await world.bill(book, [exec(1_000)]);
      const [event] = eventsOf(await world.settle([settlement]), world.settlement, "BillsSettled");
      expect(event).to.include({ cumulativeUsd6: 100n, paidUsd6: 60n, feeUsd6: 0n, owedUsd6: 40n });
      const owedOf = { ...world.settlement, functionName: "owedOf", args: [sessionId, alpha.nodeId] } as const;
      expect(await world.publicClient.readContract(owedOf)).to.equal(40n);
      await world.assign(sessionId, alpha, { allotmentUsd6: 70n });
      // 10 of the lane's own, 30 of what is free.
      const receipt = await collect(sessionId, alpha.nodeId);
      expect(eventsOf(receipt, world.settlement, "OwedCollected")).to.deep.equal([
        {
          sessionId,
          nodeId: alpha.nodeId,
          payer: world.actors.payer,
          paidUsd6: 40n,
          feeUsd6: 0n,
          recoveredUsd6: 0n,
          owedUsd6: 0n,
        },
      ]);
      expect(await creditOf(alpha.payout)).to.equal(100n);
      expect(await lockedOf(alpha.nodeId)).to.equal(100n * STAKE_WEI_PER_USD6);
      expect((await world.sessionOf(sessionId)).purse.freeUsd6).to.equal(50n);
      expect(await codeOf(collect(sessionId, alpha.nodeId))).to.equal("SessionNothingOwed");
    });

    it("collects after the end what the session returned, from available and from thawing money, and no more", async () => {
      const { alpha, beta } = world.nodes;
      const { payer, stranger } = world.actors;
      const { sessionId, book } = await world.aLane(alpha, { spendCapUsd6: 100n }, 10n);
      await world.assign(sessionId, beta, { allotmentUsd6: 90n });
      const { settlement } = await world.bill(book, [exec(5_000)]);
      await world.settle([settlement]);
      expect(await codeOf(collect(sessionId, alpha.nodeId)), "all is allotted").to.equal("SessionNothingOwed");
      await world.send(payer, world.vault, "deposit", [payer, 40n]);
      await world.send(payer, world.settlement, "close", [sessionId]);
      await world.increase(WINDOW_S);
      for (const { nodeId } of [alpha, beta]) {
        await world.send(stranger, world.settlement, "reclaimLane", [sessionId, nodeId]);
      }
      await world.send(stranger, world.settlement, "finish", [sessionId]);
      await world.send(payer, world.vault, "beginWithdrawal", [payer, 100n]);
      const receipt = await collect(sessionId, alpha.nodeId);
      expect(eventsOf(receipt, world.settlement, "OwedCollected")[0]).to.include({
        paidUsd6: 90n,
        recoveredUsd6: 90n,
        owedUsd6: 400n,
      });
      expect(await creditOf(alpha.payout)).to.equal(100n);
      expect((await world.accountOf(payer)).availableUsd6, "30 available and 60 of what thawed").to.equal(0n);
      expect(await codeOf(collect(sessionId, alpha.nodeId)), "the cap is the cap").to.equal("SessionNothingOwed");
    });
  });

  describe("refusal", () => {
    it("says why and settles the rest of the batch all the same", async () => {
      const { alpha, beta } = world.nodes;
      const { sessionId, book } = await world.aLane();
      const good = await world.bill(book, [exec(10)]);
      const other = bookOf(sessionId, beta);
      const unknown = bookOf(hashOf("no session"), alpha);
      const receipt = await world.settle([
        (await world.bill(unknown, [exec(10)])).settlement,
        (await world.bill(other, [exec(10)])).settlement,
        { ...good.settlement, segments: [] },
        good.settlement,
        { ...good.settlement, segments: [{ bills: "0x000001", receiptsRoot: hashOf("r") }] },
      ]);
      expect(eventsOf(receipt, world.settlement, "VoucherRefused")).to.deep.equal([
        { sessionId: unknown.sessionId, nodeId: alpha.nodeId, code: fault.sessionUnknown },
        { sessionId, nodeId: beta.nodeId, code: fault.laneUnknown },
        { sessionId, nodeId: alpha.nodeId, code: fault.billsMalformed },
        { sessionId, nodeId: alpha.nodeId, code: fault.billsMalformed },
      ]);
      expect(await creditOf(alpha.payout)).to.equal(1n);
    });

    it("meets every voucher after the settle window", async () => {
      const { sessionId, book } = await world.aLane();
      const late = await world.bill(book, [exec(10)]);
      await world.send(world.actors.payer, world.settlement, "close", [sessionId]);
      await world.increase(WINDOW_S);
      expect(await faultsOf(late.settlement)).to.deep.equal([fault.windowOver]);
    });

    it("meets a sum that does not fit 64 bits, and the rest of the batch goes on", async () => {
      const { deployer } = world.actors;
      const { alpha, beta } = world.nodes;
      const powerCu = 2 ** 32 - 1;
      const priceUsd6PerGcums = 10_000_000n;
      const strong = { minimumPowerCu: powerCu, minimumStakeWei: 1n, enabled: true };
      await world.send(deployer, world.registry, "setNodeClass", [0, "cpu", strong]);
      await world.send(deployer, world.oracle, "setPrice", [priceUsd6PerGcums]);
      const { sessionId, book } = await world.aLane(alpha, { maxPriceUsd6PerGcums: priceUsd6PerGcums });
      await world.assign(sessionId, beta);
      const most = exec(...Array.from({ length: billing.maxRecords }, () => billing.maxMs));
      const heavy = await world.bill({ ...book, powerCu }, [most], { priceUsd6PerGcums });
      const light = await world.bill({ ...bookOf(sessionId, beta), powerCu }, [exec(1)], { priceUsd6PerGcums });
      expect(await faultsOf(heavy.settlement, light.settlement)).to.deep.equal([fault.tooLarge]);
      expect((await world.laneOf(sessionId, beta.nodeId)).money.seq).to.equal(1);
    });

    it("takes a sum of 64 bits to its last base unit and not one ms more: the node has all the payer put in, once", async () => {
      const { deployer } = world.actors;
      const { alpha } = world.nodes;
      const powerCu = 2 ** 32 - 1;
      const priceUsd6PerGcums = 10_000_000n;
      const strong = { minimumPowerCu: powerCu, minimumStakeWei: 1n, enabled: true };
      await world.send(deployer, world.registry, "setNodeClass", [0, "cpu", strong]);
      await world.send(deployer, world.oracle, "setPrice", [priceUsd6PerGcums]);
      const { sessionId, book } = await world.aLane(
        alpha,
        { maxPriceUsd6PerGcums: priceUsd6PerGcums, spendCapUsd6: 200n },
        0n,
      );
      // 100 × (2³² + 1) ms of 2³² − 1 CU at 10 USD for 10⁹ CU·ms come to (2³² + 1) × (2³² − 1) base units.
      const most = exec(...Array.from({ length: 200 }, () => billing.maxMs), 300);
      const strongBook = { ...book, powerCu };
      const beyond = await world.bill(strongBook, [[...most, ...exec(1)]], { priceUsd6PerGcums });
      const full = await world.bill(strongBook, [most], { priceUsd6PerGcums });
      expect(full.cumulativeUsd6).to.equal(MAX_U64);
      expect(await faultsOf(beyond.settlement)).to.deep.equal([fault.tooLarge]);
      const [event] = eventsOf(await world.settle([full.settlement]), world.settlement, "BillsSettled");
      expect(event).to.include({ cumulativeUsd6: MAX_U64, paidUsd6: 0n, owedUsd6: MAX_U64 });
      const collected = await collect(sessionId, alpha.nodeId);
      expect(eventsOf(collected, world.settlement, "OwedCollected")[0]).to.include({
        paidUsd6: 200n,
        recoveredUsd6: 0n,
        owedUsd6: MAX_U64 - 200n,
      });
      expect([await creditOf(alpha.payout), await creditOf(treasury), await world.heldUsd6()]).to.deep.equal([
        198n,
        2n,
        0n,
      ]);
    });

    it("meets a signature of anybody else, a high s, a wrong length, another chain and another contract", async () => {
      const { book } = await world.aLane();
      const { settlement } = await world.bill(book, [exec(10)]);
      const { segments, signature } = settlement;
      const variants: Settlement[] = [
        (await world.bill(book, [exec(10)], { by: keyOf("stranger") })).settlement,
        (await world.bill(book, [exec(10)], { chainId: 1 })).settlement,
        (await billOn({ settlement: world.escrow.address, book, segments: [exec(10)] })).settlement,
        { ...settlement, signature: highS(signature) },
        { ...settlement, signature: concat([signature, "0x00"]) },
        { ...settlement, signature: "0x" },
        { ...settlement, segments: [...segments, ...segments] },
      ];
      expect(await faultsOf(...variants)).to.deep.equal(variants.map(() => fault.signatureInvalid));
      expect(await faultsOf(settlement)).to.deep.equal([]);
    });

    it("meets a voucher with any field changed", async () => {
      const { book } = await world.aLane();
      const changes: Partial<Voucher>[] = [
        { sessionId: hashOf("another") },
        { nodeId: book.nodeId + 1 },
        { seq: 2n },
        { cumulativeUsd6: 2n },
        { prevHead: hashOf("another") },
        { billsHash: billsHashOf("0x0000000b") },
        { receiptsRoot: hashOf("another") },
      ];
      for (const change of changes) {
        const { settlement } = await world.bill(book, [exec(10)], { change });
        expect(await faultsOf(settlement), JSON.stringify(Object.keys(change))).to.deep.equal([fault.signatureInvalid]);
      }
      expect(firstHeadOf(book)).to.equal((await world.laneOf(book.sessionId, book.nodeId)).head);
    });
  });

  it("stays within the gas that was promised: 50 payers × 20 bills below 2,000 a bill", async () => {
    const { alpha } = world.nodes;
    let books: LaneBook[] = [];
    for (let index = 0; index < 50; index++) {
      const payer = keyOf(`gas payer ${index}`);
      await world.connection.networkHelpers.setBalance(payer.address, 10n ** 18n);
      await world.send(world.actors.deployer, world.usd, "transfer", [payer.address, USD6]);
      await world.send(payer, world.usd, "approve", [world.vault.address, USD6]);
      const { sessionId } = await world.open({ spendCapUsd6: USD6 }, payer, noPermit);
      await world.assign(sessionId, alpha, { allotmentUsd6: USD6 });
      books.push(bookOf(sessionId, alpha));
    }
    let gasUsed = 0n;
    for (let run = 0; run < 2; run++) {
      const ms = Array.from({ length: 20 }, (_, index) => 257 * (index + 1));
      const signed = await Promise.all(books.map((book) => world.bill(book, [exec(...ms)])));
      books = signed.map(({ book }) => book);
      ({ gasUsed } = await world.settle(signed.map(({ settlement }) => settlement)));
    }
    expect(Number(gasUsed) / 1_000).to.be.lessThan(2_000);
  });
});

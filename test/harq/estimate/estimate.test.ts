/** What feedback says of a path: fates by time, round trips, loss with its bound, bursts. */
import { test } from "node:test";
import { expect } from "chai";
import { createArrivalBook } from "@ngpu/protocol/harq/estimate/arrivalBook";
import { betaQuantile, regularisedBeta } from "@ngpu/protocol/harq/estimate/betaQuantile";
import { createLossEstimate, priorLoss } from "@ngpu/protocol/harq/estimate/lossEstimate";
import { createPacketBook, type PacketBook } from "@ngpu/protocol/harq/estimate/packetBook";
import { createReorderWindow } from "@ngpu/protocol/harq/estimate/reorderWindow";
import { createRoundTrip } from "@ngpu/protocol/harq/estimate/roundTrip";
import { createRandom } from "../support/random.ts";

test("a Beta quantile is where its distribution reaches it", () => {
  expect(betaQuantile(1, 1, 0.9)).to.be.closeTo(0.9, 1e-5);
  expect(betaQuantile(1, 9, 0.5)).to.be.closeTo(1 - 0.5 ** (1 / 9), 1e-5);
  expect(regularisedBeta(betaQuantile(200.5, 1800.5, 0.9), 200.5, 1800.5)).to.be.closeTo(0.9, 2e-3);
});

test("loss is the prior until 300 packets are known, even if an outage comes first", () => {
  const estimate = createLossEstimate();
  estimate.observe(new Array<boolean>(299).fill(true));
  expect(estimate.bound()).to.equal(priorLoss);
  estimate.observe([true]);
  expect(estimate.bound()).to.equal(0.6);
});

test("loss is bounded from above, follows the path within its window and never leaves 0.2 to 60 %", () => {
  const random = createRandom(9);
  const estimate = createLossEstimate();
  const observe = (count: number, loss: number): void =>
    estimate.observe(Array.from({ length: count }, () => random.chance(loss)));
  observe(4_000, 0.1);
  expect(estimate.bound()).to.be.within(0.095, 0.13);
  observe(10_000, 0);
  expect(estimate.bound()).to.equal(0.002);
  expect(estimate.unclampedBound()).to.be.below(0.002);
  observe(10_000, 0.9);
  expect(estimate.bound()).to.equal(0.6);
});

test("a clean path falls below a tenth of a per cent, and a memory counts as evidence", () => {
  const estimate = createLossEstimate();
  estimate.observe(new Array<boolean>(3_000).fill(false));
  expect(estimate.unclampedBound()).to.be.below(0.001);
  const memory = { arrived: 1_800, lost: 200, meanBurst: 8 };
  expect(createLossEstimate(memory).bound()).to.be.within(0.1, 0.115);
  expect(createLossEstimate(memory).meanBurst()).to.equal(8);
});

test("packets that came late are not lost", () => {
  const estimate = createLossEstimate();
  estimate.observe(Array.from({ length: 1_000 }, (_, at) => at % 10 === 0));
  const before = estimate.bound();
  estimate.revive(100);
  expect(estimate.bound()).to.be.below(before / 10);
});

test("the mean burst is the mean run of losses", () => {
  const estimate = createLossEstimate();
  for (let round = 0; round < 400; round += 1) {
    estimate.observe([...new Array<boolean>(8).fill(true), ...new Array<boolean>(80).fill(false)]);
  }
  expect(estimate.meanBurst()).to.be.closeTo(8, 0.1);
});

test("a round trip is smoothed, and its smallest forgotten after ten seconds", () => {
  const trip = createRoundTrip(100_000);
  expect([trip.isMeasured(), trip.smoothedUs()]).to.deep.equal([false, 100_000]);
  trip.sample(50_000, 0);
  trip.sample(58_000, 1_000);
  expect([trip.isMeasured(), trip.smoothedUs(), trip.smallestUs()]).to.deep.equal([true, 51_000, 50_000]);
  trip.sample(60_000, 10_000_001);
  expect(trip.smallestUs()).to.equal(58_000);
});

test("the reorder window widens with every late arrival up to a round trip, and narrows when all is quiet", () => {
  const window = createReorderWindow();
  expect(window.widthUs(80_000)).to.equal(10_000);
  for (let late = 1; late <= 5; late += 1) window.onSpuriousLoss(late * 80_000, 80_000);
  expect(window.widthUs(80_000)).to.equal(80_000);
  window.onReport(400_000 + 33 * 80_000, 80_000);
  expect(window.widthUs(80_000)).to.equal(40_000);
});

test("a packet is lost when one that left a reorder window later arrived, not when three overtook it", () => {
  const book = bookOf([0, 100, 200, 300, 400, 11_000]);
  const early = book.report({ ...aReport, largest: 4, ranges: [{ gap: 0, run: 4 }], nowUs: 50_500 });
  expect(early.lost).to.deep.equal([]);
  const late = book.report({ ...aReport, largest: 5, ranges: [{ gap: 0, run: 5 }], nowUs: 61_000 });
  expect(late.lost.map(({ stamp }) => stamp.number)).to.deep.equal([0]);
  expect(late.settled.map(({ isLost }) => isLost)).to.deep.equal([true, false, false, false, false, false]);
  expect(late.newest?.stamp.number).to.equal(5);
  expect(book.inFlightBytes()).to.equal(0);
});

test("a report that left the peer long after a packet should have come says that it is lost, though nothing overtook it", () => {
  const book = bookOf([0, 100, 200]);
  const fates = book.report({ ...aReport, largest: 0, ranges: [{ gap: 0, run: 1 }], nowUs: 70_000 });
  expect(fates.lost.map(({ stamp }) => stamp.number)).to.deep.equal([1, 2]);
});

test("a packet that comes after it was given up is told apart, and counted as arrived once", () => {
  const book = bookOf([0, 20_000]);
  book.report({ ...aReport, largest: 1, ranges: [{ gap: 0, run: 1 }], nowUs: 70_000 });
  const again = book.report({ ...aReport, largest: 1, ranges: [{ gap: 0, run: 2 }], nowUs: 80_000 });
  expect(again.revived.map(({ stamp }) => stamp.number)).to.deep.equal([0]);
  expect(again.arrived.length).to.equal(1);
  expect(book.report({ ...aReport, largest: 1, ranges: [{ gap: 0, run: 2 }], nowUs: 90_000 }).arrived).to.deep.equal(
    [],
  );
  expect(book.inFlightBytes()).to.equal(0);
});

test("what was sent long ago is forgotten", () => {
  const book = bookOf(Array.from({ length: 10_000 }, (_, at) => at * 1_000));
  book.report({ ...aReport, largest: 9_999, ranges: [{ gap: 0, run: 10_000 }], nowUs: 10_050_000 });
  expect(book.size()).to.be.below(2_100);
});

test("arrivals are told in ranges that the sender's book reads back, whatever was lost or came out of turn", () => {
  const random = createRandom(21);
  for (let round = 0; round < 200; round += 1) {
    const arrivals = createArrivalBook();
    const book = bookOf(Array.from({ length: 400 }, (_, at) => at));
    const sent = Array.from({ length: 400 }, (_, at) => at).filter(() => !random.chance(0.2));
    const order = sent.map((number) => ({ number, at: number + random.integer(0, 20) })).sort((a, b) => a.at - b.at);
    for (const { number } of order) {
      expect(arrivals.isRepeat(number)).to.equal(false);
      arrivals.add(number, number);
      expect(arrivals.isRepeat(number)).to.equal(true);
    }
    const fates = book.report({ ...aReport, largest: arrivals.largest(), ranges: arrivals.ranges(255), nowUs: 1 });
    expect(fates.arrived.map(({ stamp }) => stamp.number)).to.deep.equal(sent);
    expect(arrivals.received()).to.equal(sent.length);
  }
});

test("reordering by ten thousand packets rejects no authentic packet, and a repeat is always rejected", () => {
  const arrivals = createArrivalBook();
  for (let number = 0; number < 30_000; number += 2) arrivals.add(number, 0);
  for (let number = 20_001; number < 30_000; number += 2) {
    expect(arrivals.isRepeat(number)).to.equal(false);
    arrivals.add(number, 0);
  }
  for (let number = 0; number < 29_999; number += 2) expect(arrivals.isRepeat(number)).to.equal(true);
  expect(arrivals.isRepeat(30_000 - 16_384 - 2)).to.equal(true);
});

test("a report is repeated four times, so that losing one costs delay alone", () => {
  const arrivals = createArrivalBook();
  arrivals.add(0, 0);
  const told = Array.from({ length: 6 }, (_, at) => {
    arrivals.add(10 + at, 0);
    return arrivals.ranges(255).some(({ gap }) => gap > 5);
  });
  expect(told).to.deep.equal([true, true, true, true, false, false]);
});

const aReport = { patienceUs: 50_000, reorderUs: 10_000 };

function bookOf(sentUs: readonly number[]): PacketBook<undefined> {
  const book = createPacketBook<undefined>();
  for (const [number, at] of sentUs.entries()) {
    const delivery = { deliveredBytes: 0, deliveredUs: 0, flightStartUs: 0, isAppLimited: false };
    book.record({ stamp: { number, bytes: 1_200, sentUs: at, ...delivery }, content: undefined });
  }
  return book;
}

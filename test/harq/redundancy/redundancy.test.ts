/** How many symbols, and when: against exact tables, and against counting by brute force. */
import { test } from "node:test";
import { expect } from "chai";
import { failures, totalFor } from "@ngpu/protocol/harq/redundancy/failure";
import { interleaveDepth } from "@ngpu/protocol/harq/redundancy/interleaveDepth";
import { kmaxFor, partition } from "@ngpu/protocol/harq/redundancy/partition";
import { proactiveTotal } from "@ngpu/protocol/harq/redundancy/proactiveTotal";
import { repairTotal } from "@ngpu/protocol/harq/redundancy/repairTotal";
import { createRandom } from "../support/random.ts";

test("symbols that complete a block but once in ten thousand times are those of the exact table", () => {
  const losses = [0.01, 0.05, 0.1, 0.2, 0.3, 0.5];
  const table: Record<number, number[]> = {
    1: [2, 4, 4, 6, 8, 14],
    4: [6, 8, 9, 12, 15, 25],
    16: [19, 22, 25, 31, 38, 60],
    32: [36, 41, 45, 55, 66, 100],
    64: [69, 76, 84, 100, 119, 177],
    128: [135, 147, 159, 187, 220, 322],
  };
  for (const [needed, totals] of Object.entries(table)) {
    const found = losses.map((loss) => totalFor({ needed: Number(needed), loss, most: 400, failure: 1.0000001e-4 }));
    expect(found, `k = ${needed}`).to.deep.equal(totals);
  }
  expect(totalFor({ needed: 96, loss: 0.5, most: 256, failure: 1e-4 })).to.equal(250);
});

test("the probability that too few arrive is what counting every outcome gives", () => {
  const needed = 3;
  const loss = 0.3;
  const table = failures({ needed, loss, most: 8 });
  for (const [extra, probability] of table.entries()) {
    const n = needed + extra;
    let counted = 0;
    for (let outcome = 0; outcome < 2 ** n; outcome += 1) {
      const arrived = outcome.toString(2).replaceAll("0", "").length;
      if (arrived < needed) counted += (1 - loss) ** arrived * loss ** (n - arrived);
    }
    expect(probability).to.be.closeTo(counted, 1e-12);
  }
});

test("a cut covers every byte once, in blocks that differ by one symbol at most", () => {
  const random = createRandom(5);
  for (let round = 0; round < 2_000; round += 1) {
    const cut = {
      length: random.integer(1, 400_000),
      symbolBytes: 64 * random.integer(1, 18),
      kmax: random.integer(1, 128),
    };
    const parts = partition(cut);
    let symbols = 0;
    let bytes = 0;
    for (let block = 0; block < parts.blocks; block += 1) {
      expect(parts.firstSymbol(block)).to.equal(symbols);
      expect(parts.k(block)).to.be.within(1, cut.kmax);
      expect(parts.k(0) - parts.k(block)).to.be.within(0, 1);
      symbols += parts.k(block);
      bytes += parts.blockBytes(block);
    }
    expect([symbols, bytes]).to.deep.equal([parts.symbols, cut.length]);
    const last = parts.blocks - 1;
    expect(parts.sourceBytes(last, parts.k(last) - 1)).to.equal(cut.length - (parts.symbols - 1) * cut.symbolBytes);
  }
});

test("a megabyte is seven or eight blocks, a kilobyte one symbol", () => {
  expect(partition({ length: 1_000_000, symbolBytes: 1_152, kmax: 128 }).blocks).to.equal(7);
  expect(partition({ length: 1_024, symbolBytes: 1_152, kmax: 128 }).symbols).to.equal(1);
});

test("blocks get smaller where more is lost, so that their repair fits the ids", () => {
  expect([0.002, 0.1, 0.25, 0.6].map(kmaxFor)).to.deep.equal([128, 128, 96, 64]);
});

test("parity in advance weighs its own time against a round trip", () => {
  const bulk = { needed: 124, loss: 0.1, symbolUs: 96, rttUs: 200_000, most: 256 };
  const brute = failures({ ...bulk }).map((failure, extra) => ({
    n: 124 + extra,
    cost: (124 + extra) * 96 + 200_000 * failure,
  }));
  const cheapest = brute.reduce((best, one) => (one.cost < best.cost ? one : best));
  expect(proactiveTotal(bulk)).to.equal(cheapest.n);
  expect(proactiveTotal({ ...bulk, symbolUs: 50_000 })).to.be.below(cheapest.n);
});

test("a message that someone waits for fails its first flight at most once in ten thousand times", () => {
  const options = { needed: 1, loss: 0.12, symbolUs: 96, rttUs: 200_000, ceiling: 1e-4, most: 256 };
  expect(proactiveTotal(options)).to.equal(5);
});

test("a clean path and a short one get no parity in advance", () => {
  const options = { needed: 100, loss: 0.0009, symbolUs: 96, rttUs: 200_000, ceiling: 1e-4, most: 256 };
  expect(proactiveTotal(options)).to.equal(100);
  expect(proactiveTotal({ ...options, loss: 0.1, rttUs: 150 })).to.equal(100);
});

test("feedback asks for nothing while what is under way may still do", () => {
  expect(repairTotal({ deficit: 128, outstanding: 128, loss: 0.1 })).to.equal(0);
  expect(repairTotal({ deficit: 0, outstanding: 0, loss: 0.6 })).to.equal(0);
});

test("feedback that shows a loss asks for what falls short, its spread and one more", () => {
  expect(repairTotal({ deficit: 13, outstanding: 0, loss: 0.1 })).to.equal(
    Math.round((14 + 1.5 * Math.sqrt(1.3)) / 0.9),
  );
  expect(repairTotal({ deficit: 100, outstanding: 99, loss: 0.002 })).to.equal(2);
});

test("what was asked once is not asked again while it is under way", () => {
  for (const loss of [0.002, 0.1, 0.3, 0.6]) {
    for (let deficit = 1; deficit <= 128; deficit += 1) {
      const sent = repairTotal({ deficit, outstanding: 0, loss });
      expect(repairTotal({ deficit, outstanding: sent, loss })).to.equal(0);
    }
  }
});

test("blocks are interleaved one and a half times as deep as a burst is long, and no deeper than a round trip", () => {
  const depths = (blocksPerRoundTrip: number): number[] =>
    [0, 1, 8, 10, 100].map((meanBurstPackets) => interleaveDepth({ meanBurstPackets, blocksPerRoundTrip }));
  expect(depths(100)).to.deep.equal([2, 2, 13, 16, 64]);
  expect(depths(3.4)).to.deep.equal([2, 2, 4, 4, 4]);
  expect(depths(0.1)).to.deep.equal([2, 2, 2, 2, 2]);
});

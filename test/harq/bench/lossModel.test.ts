/** What the bench's bad network loses: as much as it was asked to, in runs as long as it was asked to, from a seed. */
import { test } from "node:test";
import { expect } from "chai";
import { seededRandom } from "../../../scripts/bench/failover/seededRandom.ts";
import { createLossModel, type LossModel } from "../../../scripts/bench/harq/network/lossModel.ts";

const packets = 200_000;
const everyUs = 100;
const seeds = [1, 2, 3, 4, 5];

interface Losses {
  readonly share: number;
  /** Of losses that follow each other, in packets. */
  readonly meanRun: number;
  readonly fates: readonly boolean[];
}

function play(model: LossModel, seed: number): Losses {
  const isLost = createLossModel(model, seededRandom(seed));
  const fates = Array.from({ length: packets }, (_, at) => isLost(at * everyUs));
  const lost = fates.filter(Boolean).length;
  const runs = fates.filter((one, at) => one && fates[at - 1] !== true).length;
  return { share: lost / packets, meanRun: lost / runs, fates };
}

test("independent losses are as many as was asked for, and follow each other no more often than chance has it", () => {
  for (const share of [0.002, 0.1, 0.3]) {
    for (const seed of seeds) {
      const found = play({ kind: "independent", share }, seed);
      expect(Math.abs(found.share - share)).to.be.below(5 * Math.sqrt((share * (1 - share)) / packets));
      expect(found.meanRun).to.be.closeTo(1 / (1 - share), 0.05);
    }
  }
});

test("bursts of packets take their share, and are as long as was asked for", () => {
  for (const [share, meanPackets] of [
    [0.02, 3],
    [0.1, 8],
    [0.3, 4],
  ] as const) {
    for (const seed of seeds) {
      const found = play({ kind: "bursts", share, meanPackets }, seed);
      expect(found.share / share).to.be.within(0.88, 1.12);
      expect(found.meanRun / meanPackets).to.be.within(0.9, 1.1);
    }
  }
});

test("outages take their share of the time, and as long as was asked for, however many packets come meanwhile", () => {
  const meanUs = 5_000;
  for (const share of [0.05, 0.2]) {
    const found = seeds.map((seed) => play({ kind: "outages", share, meanUs }, seed));
    const mean = (of: (one: Losses) => number): number => found.reduce((sum, one) => sum + of(one), 0) / found.length;
    expect(mean((one) => one.share) / share).to.be.within(0.9, 1.1);
    expect((mean(({ meanRun }) => meanRun) * everyUs) / meanUs).to.be.within(0.9, 1.1);
  }
  const isLost = createLossModel({ kind: "outages", share: 0.5, meanUs: 1_000_000 }, seededRandom(3));
  const together = Array.from({ length: 1_000 }, () => isLost(0));
  expect(new Set(together).size, "at one moment all or none are lost").to.equal(1);
});

test("the same seed loses the same packets, another one others, and no share loses none", () => {
  for (const model of [
    { kind: "independent", share: 0.1 },
    { kind: "bursts", share: 0.1, meanPackets: 4 },
    { kind: "outages", share: 0.1, meanUs: 5_000 },
  ] as const) {
    expect(play(model, 7).fates).to.deep.equal(play(model, 7).fates);
    expect(play(model, 7).fates).to.not.deep.equal(play(model, 8).fates);
    expect(play({ ...model, share: 0 }, 7).share).to.equal(0);
  }
});

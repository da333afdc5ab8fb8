/** The TCP models that others are measured against do what the literature says of TCP. */
import { test } from "node:test";
import { expect } from "chai";
import { createBottleneck } from "../support/bottleneck.ts";
import { createEventQueue } from "../support/eventQueue.ts";
import { bernoulli } from "../support/lossyLink.ts";
import { createRandom } from "../support/random.ts";
import { createBbr1 } from "../support/tcp/bbr1.ts";
import { createCubic } from "../support/tcp/cubic.ts";
import { createTcpFlow, segmentBytes, type TcpLaw } from "../support/tcp/tcpFlow.ts";

const fast = 12_500_000;

test("CUBIC under random loss keeps within a factor of two of the rate of Padhye, Firoiu, Towsley and Kurose", () => {
  for (const [loss, rttUs] of [
    [0.005, 50_000],
    [0.01, 50_000],
    [0.05, 100_000],
    [0.1, 200_000],
  ] as const) {
    for (const seed of [1, 2]) {
      const [rate] = run({
        laws: [createCubic()],
        rttUs,
        loss,
        seed,
        seconds: 60,
      });
      expect(rate! / pftk(loss, rttUs / 1e6), `at ${loss}`).to.be.within(0.5, 2);
    }
  }
});

test("CUBIC halts where losses follow each other, while the first BBR keeps seven tenths of what arrives", () => {
  const path = { rttUs: 200_000, loss: 0.1, seed: 1, seconds: 20 };
  expect(run({ ...path, laws: [createBbr1()] })[0]! / fast).to.be.above(0.7 * 0.9);
  expect(run({ ...path, laws: [createCubic()] })[0]! / fast).to.be.below(0.01);
});

test("a CUBIC flow fills a clean link, two share it, and the first BBR crowds one out of a short queue", () => {
  const bytesPerSecond = 6_250_000;
  const clean = {
    rttUs: 40_000,
    loss: 0,
    seed: 1,
    seconds: 40,
    bytesPerSecond,
    queueBytes: 250_000,
  };
  const total = (rates: readonly number[]): number => rates.reduce((sum, rate) => sum + rate, 0) / bytesPerSecond;
  expect(total(run({ ...clean, laws: [createCubic()] }))).to.be.within(0.93, 0.97);
  const shared = run({ ...clean, laws: [createCubic(), createCubic()] });
  expect(total(shared)).to.be.within(0.93, 0.97);
  expect(Math.max(...shared) / Math.min(...shared)).to.be.below(1.6);
  const [bbr, cubic] = run({ ...clean, laws: [createBbr1(), createCubic()] });
  expect(bbr! / (bbr! + cubic!)).to.be.above(0.7);
});

test("a bottleneck passes bytes in order at its rate, drops what does not fit, and follows a change of rate", () => {
  const queue = createEventQueue();
  const bottleneck = createBottleneck(queue, {
    bytesPerSecond: 1_000_000,
    queueBytes: 3_500,
  });
  expect([1_000, 1_000, 1_000, 1_000].map((bytes) => bottleneck.pass(bytes))).to.eql([1_000, 2_000, 3_000, undefined]);
  bottleneck.change({ bytesPerSecond: 500_000, queueBytes: 5_000 });
  expect(bottleneck.pass(1_000)).to.equal(8_000);
  queue.runNext(9_000);
  expect(bottleneck.waitingBytes()).to.equal(0);
});

interface Run {
  readonly laws: readonly TcpLaw[];
  readonly rttUs: number;
  readonly loss: number;
  readonly seed: number;
  readonly seconds: number;
  readonly bytesPerSecond?: number;
  readonly queueBytes?: number;
}

function run({ laws, rttUs, loss, seed, seconds, bytesPerSecond = fast, queueBytes = 2_500_000 }: Run): number[] {
  const queue = createEventQueue();
  const bottleneck = createBottleneck(queue, { bytesPerSecond, queueBytes });
  const flows = laws.map((law, at) => {
    const random = createRandom(seed * 16 + at);
    return createTcpFlow({
      queue,
      bottleneck,
      rttUs,
      law,
      loss: bernoulli(random, loss),
    });
  });
  while (queue.runNext(seconds * 1e6));
  return flows.map((flow) => flow.deliveredBytes() / seconds);
}

function pftk(loss: number, rttS: number): number {
  const timeouts = (rttS + 0.2) * Math.min(1, 3 * Math.sqrt((3 * loss) / 8)) * loss * (1 + 32 * loss ** 2);
  return segmentBytes / (rttS * Math.sqrt((2 * loss) / 3) + timeouts);
}

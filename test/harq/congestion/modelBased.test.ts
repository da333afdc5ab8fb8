/** The fair class on long runs: noise is not congestion, a shared queue is, and a link is used as it changes. */
import { test } from "node:test";
import { expect } from "chai";
import { createModelBased } from "@ngpu/protocol/harq/congestion/modelBased";
import { contest, median } from "./contest.ts";

const long = { bytesPerSecond: 12_500_000, rttUs: 200_000, products: 1 };
const home = { bytesPerSecond: 6_250_000, rttUs: 40_000 };
const seeds = [1, 2, 3, 4, 5];

test("random loss of 0.2 to 30 in a hundred leaves nine tenths of what the path lets through, at 200 ms", () => {
  for (const loss of [0.002, 0.04, 0.1, 0.2, 0.3]) {
    const shares = [1, 2, 3].map((seed) => {
      const [rate] = contest({ ...long, flows: [createModelBased], loss, seed, fromS: 5, untilS: 20 });
      return rate! / (long.bytesPerSecond * (1 - loss));
    });
    expect(Math.min(...shares), `at ${loss}`).to.be.above(0.8);
    expect(median(shares), `at ${loss}`).to.be.above(0.9);
  }
});

test("a clean link is used to 97 in a hundred at least, short round trip or long", () => {
  for (const rttUs of [10_000, 40_000, 200_000]) {
    const [rate] = contest({ ...long, rttUs, flows: [createModelBased], seed: 1, fromS: 5, untilS: 20 });
    expect(rate! / long.bytesPerSecond, `${rttUs}`).to.be.above(0.97);
  }
});

test("ends that do everything up to ten milliseconds late use a clean link to 97 in a hundred all the same", () => {
  for (const lateUs of [1_000, 3_000, 10_000]) {
    for (const seed of [1, 2, 3]) {
      const waits: number[] = [];
      const run = { ...long, rttUs: 40_000, products: 5, lateUs, flows: [createModelBased], seed, fromS: 5, untilS: 20 };
      const [rate] = contest({
        ...run,
        script: (queue, bottleneck) => {
          for (let atUs = 5e6; atUs < 20e6; atUs += 10_000) queue.at(atUs, () => waits.push(bottleneck.waitingBytes()));
        },
      });
      expect(rate! / long.bytesPerSecond, `${lateUs} µs, seed ${seed}`).to.be.above(0.97);
      expect(median(waits) / long.bytesPerSecond, `queue at ${lateUs} µs, seed ${seed}`).to.be.below(0.01);
    }
  }
});

test("beside a CUBIC flow it has its share ten seconds after both began, or five after CUBIC came", () => {
  for (const products of [1, 4]) {
    for (const apartS of [0, 5]) {
      const shares = seeds.map((seed) => {
        const run = { ...home, apartS, products, seed, fromS: 10, untilS: 40 };
        const [ours, theirs] = contest({ ...run, flows: [createModelBased, "cubic"] });
        return ours! / (ours! + theirs!);
      });
      expect(median(shares), `${products} products, ${apartS} s apart`).to.be.within(0.35, 0.65);
    }
  }
});

test("beside a CUBIC flow it takes 35 to 65 in a hundred, with one and with four products of buffer", () => {
  for (const products of [1, 4]) {
    const shares = seeds.map((seed) => {
      const apart = { 0: {}, 1: { apartS: 5 } }[seed % 2]!;
      const run = { ...home, ...apart, products, seed, fromS: 15, untilS: 75 };
      const [ours, theirs] = contest({ ...run, flows: [createModelBased, "cubic"] });
      return ours! / (ours! + theirs!);
    });
    expect(median(shares), `${products} products`).to.be.within(0.35, 0.65);
    expect(Math.min(...shares), `${products} products`).to.be.above(0.25);
    expect(Math.max(...shares), `${products} products`).to.be.below(0.75);
  }
});

test("beside four CUBIC flows it takes between a half and twice its fifth", () => {
  for (const products of [1, 4]) {
    const shares = seeds.map((seed) => {
      const run = { ...home, products, seed, fromS: 15, untilS: 60 };
      const [ours, ...theirs] = contest({ ...run, flows: [createModelBased, "cubic", "cubic", "cubic", "cubic"] });
      return ours! / theirs.reduce((sum, rate) => sum + rate, ours!);
    });
    expect(median(shares), `${products} products: ${shares}`).to.be.within(0.12, 0.33);
  }
});

test("a latecomer beside a CUBIC flow that fills the queue takes 35 to 65 in a hundred too", () => {
  for (const products of [1, 4]) {
    const shares = seeds.map((seed) => {
      const run = { ...home, products, seed, apartS: 5, fromS: 15, untilS: 75 };
      const [theirs, ours] = contest({ ...run, flows: ["cubic", createModelBased] });
      return ours! / (ours! + theirs!);
    });
    expect(median(shares), `${products} products`).to.be.within(0.35, 0.65);
  }
});

test("a short queue of a quarter product is shared with CUBIC, not taken", () => {
  const shares = seeds.map((seed) => {
    const run = { ...home, products: 0.25, seed, fromS: 10, untilS: 60 };
    const [ours, theirs] = contest({ ...run, flows: [createModelBased, "cubic"] });
    return ours! / (ours! + theirs!);
  });
  expect(median(shares)).to.be.within(0.35, 0.65);
});

test("two of its own share a link, by Jain's index at least 0.9", () => {
  for (const products of [1, 4]) {
    for (const seed of seeds) {
      const rates = contest({
        ...home,
        products,
        seed,
        flows: [createModelBased, createModelBased],
        fromS: 10,
        untilS: 40,
      });
      expect(jain(rates), `${products} products, seed ${seed}`).to.be.at.least(0.9);
      expect(rates[0]! + rates[1]!).to.be.above(0.9 * home.bytesPerSecond);
    }
  }
});

test("seven offered to a link of five stays at the link, with a short queue and with a long one", () => {
  for (const products of [0.25, 1, 4]) {
    let sent = 0;
    const link = 625_000;
    const run = { bytesPerSecond: link, rttUs: 100_000, products, seed: 1, fromS: 5, untilS: 25 };
    const watched: typeof createModelBased = (options) => {
      const controller = createModelBased(options);
      return {
        ...controller,
        onSent(stamp, inFlightBytes) {
          if (stamp.sentUs > 5e6) sent += stamp.bytes;
          controller.onSent(stamp, inFlightBytes);
        },
      };
    };
    const [rate] = contest({ ...run, flows: [watched], offeredBytesPerSecond: 875_000, loss: 0.01 });
    expect(sent / 20 / link, `${products} products`).to.be.below(1.1);
    expect(rate! / link, `${products} products`).to.be.above(0.9 * 0.99);
  }
});

test("a link that slows to a fifth stays full, its queue goes within 100 round trips, and 60 fill it again", () => {
  const slow = 2_500_000;
  const waits: number[] = [];
  const rates: number[] = [];
  const run = { bytesPerSecond: 12_500_000, rttUs: 100_000, products: 1, seed: 1, flows: [createModelBased] };
  const script: NonNullable<Parameters<typeof contest>[0]["script"]> = (queue, bottleneck) => {
    queue.at(6e6, () => bottleneck.change({ bytesPerSecond: slow }));
    for (let atUs = 16e6; atUs < 20e6; atUs += 100_000) queue.at(atUs, () => waits.push(bottleneck.waitingBytes()));
    queue.at(20e6, () => bottleneck.change({ bytesPerSecond: run.bytesPerSecond }));
  };
  for (const [fromS, untilS, link] of [
    [6, 12, slow],
    [12, 20, slow],
    [26, 30, run.bytesPerSecond],
  ] as const) {
    const [rate] = contest({ ...run, script, fromS, untilS });
    rates.push(rate! / link);
  }
  expect(Math.min(...rates)).to.be.above(0.9);
  expect(median(waits) / slow).to.be.below(0.1);
});

function jain(rates: readonly number[]): number {
  const sum = rates.reduce((total, rate) => total + rate, 0);
  return sum ** 2 / (rates.length * rates.reduce((total, rate) => total + rate ** 2, 0));
}

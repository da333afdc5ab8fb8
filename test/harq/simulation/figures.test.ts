/** What the transport promises in numbers, on a path of 100 Mbit/s with the start-up law of doubling. */
import { test } from "node:test";
import { median } from "@ngpu/protocol/selection/median";
import { expect } from "chai";
import { seeds } from "../support/seeds.ts";
import { measureCompletion, type CompletionOptions } from "./completion.ts";

const noisy = { loss: 0.1, rttUs: 200_000, bytesPerSecond: 12_500_000 };

test("a megabyte at a tenth of loss takes 1.36 s cold and 0.36 s warm at most, for at most 1.35 times its bytes", () => {
  const cold = several({ ...noisy, bytes: 1_000_000, start: "cold" });
  const warm = several({ ...noisy, bytes: 1_000_000, start: "warm" });
  expect(median(cold.flatMap(({ takenUs }) => takenUs))).to.be.below(1_360_000);
  expect(median(warm.flatMap(({ takenUs }) => takenUs))).to.be.below(360_000);
  for (const { wireRatio } of [...cold, ...warm]) expect(wireRatio).to.be.below(1.35);
});

test("ten megabytes at a tenth of loss take 2.6 s cold at most, for at most 1.25 times their bytes", () => {
  const { takenUs, wireRatio } = measureCompletion({ ...noisy, bytes: 10_000_000, start: "cold", seed: 1 });
  expect(takenUs[0]).to.be.below(2_600_000);
  expect(wireRatio).to.be.below(1.25);
});

test("of five hundred messages of 4 KB at a tenth of loss 99 in a hundred arrive within 110 ms", () => {
  const options = { ...noisy, bytes: 4_096, start: "cold", seed: 3, priority: "interactive", messages: 500 } as const;
  const { takenUs } = measureCompletion(options);
  expect([...takenUs].sort((one, other) => one - other)[494]).to.be.below(110_000);
});

test("a clean path carries next to no parity, and hardly longer than the bytes take", () => {
  const clean = { loss: 0, rttUs: 40_000, bytesPerSecond: 31_250_000, start: "warm" } as const;
  const { takenUs, repairRatio, wireRatio, reportRatio } = measureCompletion({ ...clean, bytes: 10_000_000, seed: 1 });
  expect(repairRatio).to.be.below(0.005);
  expect(wireRatio).to.be.below(1.05);
  expect(reportRatio).to.be.below(0.03);
  expect(10_000_000 / (takenUs[0]! - 20_000)).to.be.above(0.93 * 31.25);
});

test("a lone kilobyte arrives in its first flight but once in ten thousand times", () => {
  const runs = seeds(10_000).map((seed) =>
    measureCompletion({ ...noisy, bytes: 1_024, start: "cold", seed, priority: "interactive" }),
  );
  expect(runs.filter(({ takenUs }) => takenUs[0]! > 110_000).length).to.be.at.most(runs.length / 1e4);
  const datagrams = 5;
  for (const { repairRatio } of runs) expect(repairRatio).to.be.at.least(datagrams - 1);
  expect(0.1 ** datagrams).to.be.at.most(1e-4);
});

test("reports take at most three hundredths of what comes in, on slow paths too", () => {
  for (const bytesPerSecond of [125_000, 1_250_000]) {
    const { reportRatio } = measureCompletion({ ...noisy, bytesPerSecond, bytes: 1_000_000, start: "warm", seed: 2 });
    expect(reportRatio).to.be.below(0.03);
  }
});

function several(options: Omit<CompletionOptions, "seed">) {
  return Array.from({ length: 9 }, (_, at) => measureCompletion({ ...options, seed: at + 1 }));
}

/** What the transport promises in numbers, at 100 Mbit/s, 200 ms and a tenth of loss, with congestion control on. */
import { test } from "node:test";
import { expect } from "chai";
import { createModelBased } from "@ngpu/protocol/harq/congestion/modelBased";
import { measureCompletion, type CompletionOptions } from "../simulation/completion.ts";
import { median } from "./contest.ts";

const noisy = { loss: 0.1, rttUs: 200_000, bytesPerSecond: 12_500_000, createController: createModelBased };
const cubicUs = { megabyte: 54_400_000, tenMegabytes: 537_600_000 };

test("a megabyte arrives 40 times as soon as over CUBIC cold, 150 times warm, for 1.35 times its bytes", () => {
  const cold = several(9, { ...noisy, bytes: 1_000_000, start: "cold" });
  const warm = several(9, { ...noisy, bytes: 1_000_000, start: "warm" });
  expect(cubicUs.megabyte / medianUs(cold)).to.be.above(40);
  expect(cubicUs.megabyte / medianUs(warm)).to.be.above(150);
  for (const { wireRatio } of [...cold, ...warm]) expect(wireRatio).to.be.below(1.35);
});

test("ten megabytes arrive 200 times as soon as over CUBIC cold, 400 times warm, for 1.3 times their bytes", () => {
  const cold = several(3, { ...noisy, bytes: 10_000_000, start: "cold" });
  const warm = several(3, { ...noisy, bytes: 10_000_000, start: "warm" });
  expect(cubicUs.tenMegabytes / medianUs(cold)).to.be.above(200);
  expect(cubicUs.tenMegabytes / medianUs(warm)).to.be.above(400);
  for (const { wireRatio } of [...cold, ...warm]) expect(wireRatio).to.be.below(1.3);
});

test("of five hundred messages of 4 KB 99 in a hundred arrive within 110 ms", () => {
  const options = { ...noisy, bytes: 4_096, start: "cold", seed: 3, priority: "interactive", messages: 500 } as const;
  const { takenUs } = measureCompletion(options);
  expect([...takenUs].sort((one, other) => one - other)[494]).to.be.below(110_000);
});

test("a memory that promises eight times what the path carries now costs little more than none", () => {
  const slow = { ...noisy, bytesPerSecond: 1_562_500, bytes: 1_000_000, loss: 0.02 } as const;
  const cold = measureCompletion({ ...slow, start: "cold", seed: 1 });
  const wrong = measureCompletion({ ...slow, start: "warm", seed: 1, rememberedBytesPerSecond: 12_500_000 });
  expect(wrong.takenUs[0]! / cold.takenUs[0]!).to.be.below(1.2);
  expect(wrong.wireRatio).to.be.below(1.6);
});

function several(count: number, options: Omit<CompletionOptions, "seed">) {
  return Array.from({ length: count }, (_, at) => measureCompletion({ ...options, seed: at + 1 }));
}

function medianUs(completions: readonly { readonly takenUs: readonly number[] }[]): number {
  return median(completions.map(({ takenUs }) => takenUs[0]!));
}

/** What the transport promises in numbers, at 100 Mbit/s, 200 ms and a tenth of loss, with congestion control on. */
import { test } from "node:test";
import { expect } from "chai";
import { createModelBased } from "@ngpu/protocol/harq/congestion/modelBased";
import { aPath, measureCompletion, type CompletionOptions } from "../simulation/completion.ts";
import { createRandom } from "../support/random.ts";
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

test("of 4 KB every 20 ms from a connection's first on 99 in a hundred arrive within 150 ms", () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const { world } = aPath({ ...noisy, start: "cold", seed });
    const { near, far, queue } = world;
    const sentUs = Array.from({ length: 500 }, (_, at) => queue.nowUs() + at * 20_000);
    const bytes = createRandom(seed).bytes(4_096);
    for (const atUs of sentUs) queue.at(atUs, () => near.send(bytes, "interactive"));
    expect(world.runUntil(() => far.deliveries.length === 500, queue.nowUs() + 60_000_000)).to.equal(true);
    const takenUs = far.deliveries.map(({ message, atUs }) => atUs - sentUs[message]!);
    expect(takenUs.sort((one, other) => one - other)[494], `seed ${seed}`).to.be.below(150_000);
  }
});

test("a link slower than what is begun with costs a fifth more time at most, and a tenth more bytes", () => {
  for (const bytesPerSecond of [62_500, 250_000]) {
    const conditions = { queueBytes: 0.2 * bytesPerSecond };
    const slow = { ...noisy, loss: 0, bytesPerSecond, bytes: 1_000_000, start: "cold", seed: 1, conditions } as const;
    const { takenUs, wireRatio } = measureCompletion(slow);
    expect((takenUs[0]! * bytesPerSecond) / 1e12).to.be.below(1.2);
    expect(wireRatio).to.be.below(1.1);
  }
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

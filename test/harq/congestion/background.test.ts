/** The background class has the link while nobody else wants it, and next to nothing when somebody does. */
import { test } from "node:test";
import { expect } from "chai";
import { createBackground } from "@ngpu/protocol/harq/congestion/background";
import { createModelBased } from "@ngpu/protocol/harq/congestion/modelBased";
import { contest } from "./contest.ts";

const home = { bytesPerSecond: 6_250_000, rttUs: 40_000, seed: 1 };

test("alone it takes four fifths of the link at least and keeps the queue it makes below fifty milliseconds", () => {
  for (const products of [1, 4]) {
    const waits: number[] = [];
    const [rate] = contest({
      ...home,
      products,
      flows: [createBackground],
      fromS: 5,
      untilS: 30,
      script: (queue, bottleneck) => {
        for (let atUs = 5e6; atUs < 30e6; atUs += 50_000) queue.at(atUs, () => waits.push(bottleneck.waitingBytes()));
      },
    });
    expect(rate! / home.bytesPerSecond).to.be.above(0.8);
    waits.sort((one, other) => one - other);
    expect(waits[Math.floor(0.95 * waits.length)]! / home.bytesPerSecond).to.be.below(0.05);
  }
});

test("it leaves the link to a CUBIC flow and to the fair class, whoever came first", () => {
  for (const other of ["cubic", createModelBased] as const) {
    for (const products of [1, 4]) {
      const run = { ...home, products, apartS: 5, fromS: 15, untilS: 45 };
      const [first, second] = contest({ ...run, flows: [createBackground, other] });
      expect(first! / (first! + second!)).to.be.below(0.15);
      const [theirs, ours] = contest({ ...run, flows: [other, createBackground] });
      expect(ours! / (ours! + theirs!)).to.be.below(0.15);
    }
  }
});

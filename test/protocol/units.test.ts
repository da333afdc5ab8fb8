import { describe, it } from "node:test";
import { expect } from "chai";
import { amountUsd6, capMs, maxAmountUsd6, maxBillUsd6, standbyUsd6 } from "@ngpu/protocol/units";

describe("units", () => {
  it("bills power × duration × price ÷ 10⁹, rounded down in the payer's favour", () => {
    expect(amountUsd6({ powerCu: 1_000, durationMs: 12_345, priceUsd6PerGcums: 100_000n })).to.equal(1_234n);
    expect(amountUsd6({ powerCu: 1, durationMs: 1, priceUsd6PerGcums: 999_999_999n })).to.equal(0n);
  });

  it("caps the billable duration at work × 1.25 ÷ power", () => {
    expect(capMs({ workCums: 1_000_000n, powerCu: 1_000 })).to.equal(1_250);
    expect(capMs({ workCums: 3n, powerCu: 2 })).to.equal(1);
  });

  it("clamps a cap that no u32 can hold, and gives a powerless node none", () => {
    expect(capMs({ workCums: 0xffff_ffff_ffff_ffffn, powerCu: 1 })).to.equal(0xffff_ffff);
    expect(capMs({ workCums: 1_000n, powerCu: 0 })).to.equal(0);
  });

  it("escrows the largest bill and a tenth of it for each backup, each rounded down", () => {
    const task = { workCums: 12_399_999n, priceUsd6PerGcums: 100_000n };
    expect(maxBillUsd6(task)).to.equal(1_549n);
    expect(standbyUsd6(1_549n)).to.equal(154n);
    expect([0, 1, 2, 3].map((backups) => maxAmountUsd6({ ...task, backups }))).to.deep.equal([1_549n, 1_703n, 1_857n, 2_011n]);
  });

  it("property: no bill within the cap exceeds the escrow with its standby, whatever the power", () => {
    const seed = Number(process.env.SEED ?? 20_261_130);
    const next = randomFrom(seed);
    for (let run = 0; run < 5_000; run += 1) {
      const workCums = BigInt(next(2 ** 40));
      const priceUsd6PerGcums = BigInt(next(2 ** 32));
      const powerCu = 1 + next(2 ** 20);
      const durationMs = capMs({ workCums, powerCu });
      const amount = amountUsd6({ powerCu, durationMs, priceUsd6PerGcums });
      const backups = next(4);
      const escrow = maxAmountUsd6({ workCums, priceUsd6PerGcums, backups });
      const cost = amount + BigInt(backups) * standbyUsd6(amount);
      expect(cost <= escrow, `SEED=${seed} run=${run} ${cost} > ${escrow}`).to.equal(true);
    }
  });
});

/** A small seeded generator (mulberry32), so that a failure names the seed that reproduces it. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** What a keeper does for epochs, planned by table. */
import type { EpochFacts } from "@ngpu/keeper/epochs/epochSnapshot";
import { gasOf, planEpochs, type EpochWork } from "@ngpu/keeper/epochs/planEpochs";
import { selectionPhase } from "@ngpu/keeper/epochs/selectionPhase";
import { createGasBudget } from "@ngpu/keeper/upkeep/gasBudget";
import { readUpkeepSettings } from "@ngpu/keeper/upkeep/upkeepSettings";
import { expect } from "chai";
import { describe, it } from "node:test";
import { chainTimeS, modelId } from "./world.ts";

const { open, update, seeding } = selectionPhase;
const lengths = { openS: 300, updateS: 30, seedTimeoutS: 60 };
const all: EpochWork = { phases: true, weights: true, rate: true };

/** An open epoch with a seed that began a moment ago. */
function facts(change: Partial<EpochFacts> = {}): EpochFacts {
  const { phaseSinceS = chainTimeS - 5 } = change;
  return {
    ...{ chainTimeS, epoch: 7, phase: open, phaseSinceS, seenSinceS: phaseSinceS, lengths },
    ...{ hasSeed: true, isSeedThere: false, isRequestRefused: false, queueLength: 0, stale: [], rate: undefined },
    ...change,
  };
}

const members = (count: number): EpochFacts["stale"] =>
  Array.from({ length: count }, (_, index) => ({ pool: modelId, member: index + 1 }));

function planned(change: Partial<EpochFacts>, options: { work?: Partial<EpochWork>; gasLeft?: bigint } = {}): string[] {
  const { work = {}, gasLeft = 10n ** 9n } = options;
  return planEpochs({ facts: facts(change), work: { ...all, ...work }, gasLeft }).map(({ kind }) => kind);
}

describe("plan of epochs", () => {
  it("does nothing while nothing is due: in an open epoch, before an update ends, while a seed is waited for", () => {
    expect(planned({})).to.deep.equal([]);
    expect(planned({ phase: update, phaseSinceS: chainTimeS - 29 })).to.deep.equal([]);
    expect(planned({ phase: seeding, phaseSinceS: chainTimeS - 59 })).to.deep.equal([]);
    expect(planned({ hasSeed: false }), "it opened without a seed").to.deep.equal([]);
  });

  it("goes on to the next phase when one is over, and takes a seed at once, also one that came late", () => {
    expect(planned({ phaseSinceS: chainTimeS - 300 })).to.deep.equal(["advance"]);
    expect(planned({ phase: update, phaseSinceS: chainTimeS - 30 })).to.deep.equal(["advance"]);
    expect(planned({ phase: seeding, isSeedThere: true })).to.deep.equal(["advance"]);
    expect(planned({ phase: seeding, phaseSinceS: chainTimeS - 60 })).to.deep.equal(["advance"]);
    expect(planned({ hasSeed: false, isSeedThere: true })).to.deep.equal(["advance"]);
  });

  it("opens without a seed only where the source refuses the request and its time is over", () => {
    const refused = { phase: update, isRequestRefused: true };
    expect(planned({ ...refused, phaseSinceS: chainTimeS - 89 })).to.deep.equal([]);
    expect(planned({ ...refused, phaseSinceS: chainTimeS - 90 })).to.deep.equal(["openWithoutSeed"]);
    expect(planned({ ...refused, isRequestRefused: false, phaseSinceS: chainTimeS - 90 })).to.deep.equal(["advance"]);
  });

  it("brings weights up to date in the update phase alone: the queue first, then a few at a time", () => {
    const stale = members(10);
    expect(planned({ stale, queueLength: 3 }), "the epoch is open").to.deep.equal([]);
    expect(planned({ phase: update, stale, queueLength: 3 })).to.deep.equal(["applyQueued"]);
    expect(planEpochs({ facts: facts({ phase: update, queueLength: 90 }), work: all, gasLeft: 10n ** 9n })).to.deep.equal([
      { kind: "applyQueued", most: 32 },
    ]);
    expect(planned({ phase: update, stale })).to.deep.equal(Array.from({ length: 8 }, () => "refreshWeight"));
  });

  it("asks for the seed behind the last weights, and is not held up by whoever keeps changing some", () => {
    const over = { phase: update, phaseSinceS: chainTimeS - 30 };
    expect(planned({ ...over, stale: members(2) })).to.deep.equal(["refreshWeight", "refreshWeight", "advance"]);
    expect(planned({ ...over, stale: members(9) }), "more to come").not.to.include("advance");
    expect(planned({ ...over, stale: members(9), phaseSinceS: chainTimeS - 60 }), "for one update more").to.include("advance");
    const late = { phase: update, phaseSinceS: chainTimeS - 5_000, stale: members(9) };
    expect(planned({ ...late, seenSinceS: chainTimeS }), "a keeper that has just begun").not.to.include("advance");
    expect(planned({ ...late, seenSinceS: chainTimeS - 30 })).to.include("advance");
  });

  it("notes the feed's rate when the noted one is half way out, and only a good and newer one", () => {
    const rate = { notedAtS: chainTimeS - 3_600, lastGoodSeconds: 7_200, feedAtS: chainTimeS - 10 };
    expect(planned({ rate })).to.deep.equal(["refreshRate"]);
    expect(planned({ rate: { ...rate, notedAtS: 0 } }), "none was noted").to.deep.equal(["refreshRate"]);
    expect(planned({ rate: { ...rate, notedAtS: chainTimeS - 3_599 } })).to.deep.equal([]);
    expect(planned({ rate: { ...rate, feedAtS: undefined } })).to.deep.equal([]);
    expect(planned({ rate: { ...rate, feedAtS: rate.notedAtS } })).to.deep.equal([]);
  });

  it("leaves each concern alone that is turned off, and takes gas for phases and the rate before weights", () => {
    const rate = { notedAtS: 0, lastGoodSeconds: 7_200, feedAtS: chainTimeS };
    const due = { phase: update, phaseSinceS: chainTimeS - 30, stale: members(1), rate };
    expect(planned(due)).to.deep.equal(["refreshWeight", "advance", "refreshRate"]);
    expect(planned(due, { work: { phases: false } })).to.deep.equal(["refreshWeight", "refreshRate"]);
    expect(planned(due, { work: { weights: false } })).to.deep.equal(["advance", "refreshRate"]);
    expect(planned(due, { work: { rate: false } })).to.deep.equal(["refreshWeight", "advance"]);
    const advanceGas = gasOf({ kind: "advance", epoch: 7, phase: update });
    expect(planned(due, { gasLeft: advanceGas })).to.deep.equal(["advance"]);
    expect(planned({ ...due, stale: members(9) }, { gasLeft: advanceGas }), "nothing to wait for").to.deep.equal(["advance"]);
    expect(planned(due, { gasLeft: 0n })).to.deep.equal([]);
  });

  it("spends at most so much gas in any hour, and gets back what was not spent", () => {
    let nowMs = 0;
    const budget = createGasBudget({ perHourGas: 300n, nowMs: () => nowMs });
    budget.spend(200n);
    nowMs = 1_800_000;
    budget.spend(200n);
    expect(budget.left()).to.equal(0n);
    budget.giveBack(200n);
    expect(budget.left()).to.equal(100n);
    nowMs = 3_600_000;
    expect(budget.left()).to.equal(300n);
  });

  it("reads each concern's switch from the settings, all of epochs on unless told otherwise", () => {
    expect(readUpkeepSettings({}).epochs).to.deep.equal(all);
    expect(readUpkeepSettings({ NGPU_KEEP_WEIGHTS: "0" }).epochs).to.deep.equal({ ...all, weights: false });
    expect(() => readUpkeepSettings({ NGPU_KEEP_RATE: "yes" })).to.throw().with.property("code", "SETTING_INVALID");
  });
});

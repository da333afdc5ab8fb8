/** Sums and single units of StakeVault that no other test looks at: what mutation testing found. */
import { after, before, beforeEach, describe, it } from "node:test";
import { expect } from "chai";
import { APPEAL_S, createStakeWorld, THAW_S, type StakeWorld } from "./support/stake.ts";
import { NGPU_WEI } from "./support/world.ts";

describe("StakeVault at its edges", () => {
  let world: StakeWorld;
  before(async () => {
    world = await createStakeWorld();
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  it("counts what all nodes have staked less what left: the total falls by each withdrawal", async () => {
    expect(await world.totalStaked()).to.equal(2_000n * NGPU_WEI);
    await world.beginExit(400n * NGPU_WEI);
    expect(await world.totalStaked(), "what thaws is still staked").to.equal(2_000n * NGPU_WEI);
    await world.increase(THAW_S);
    await world.withdraw();
    expect(await world.totalStaked()).to.equal(1_600n * NGPU_WEI);
  });

  it("credits a compensation and a reward of one wei each, and burns the rest of the slash", async () => {
    await world.slash({ amountWei: 10n, compensationWei: 1n, challengerWei: 1n });
    await world.increase(APPEAL_S);
    const supply = await world.publicClient.readContract({ ...world.ngpu, functionName: "totalSupply" });
    await world.finish(1n);
    expect([await world.creditOf(world.harmed), await world.creditOf(world.finder)]).to.deep.equal([1n, 1n]);
    expect(await world.publicClient.readContract({ ...world.ngpu, functionName: "totalSupply" })).to.equal(supply - 8n);
  });
});

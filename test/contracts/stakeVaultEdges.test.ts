/** Sums and single units of StakeVault that no other test looks at: what mutation testing found. */
import { after, before, beforeEach, describe, it } from "node:test";
import { expect } from "chai";
import { eventsOf } from "./support/chain.ts";
import { revertOf } from "./support/revert.ts";
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

  it("counts what a token delivers: tokens that lie in the vault already pay for nobody's stake", async () => {
    const on = await world.vaultOn("FeeToken", 3_000n);
    await world.send(world.actors.owner, on.token, "transfer", [on.vault.address, 2_000n]);
    expect(await revertOf(on.stake(1_000n))).to.deep.equal({ name: "StakeTokenShort", args: [1_000n, 990n] });
    expect([await on.balanceOf(on.vault.address), await on.totalStaked()]).to.deep.equal([1_980n, 0n]);
  });

  it("says that exits were slashed where one was, and of what part of the stake", async () => {
    const exitsSlashed = async () => eventsOf(await world.slash(), world.vault, "ExitsSlashed");
    expect(await exitsSlashed(), "nothing thaws").to.deep.equal([]);
    await world.beginExit(450n * NGPU_WEI);
    expect(await exitsSlashed()).to.deep.equal([
      { nodeId: world.alpha, takenWei: 50n * NGPU_WEI, thawingWei: 400n * NGPU_WEI },
    ]);
  });

  it("takes one wei of stake from the exit that would leave first, and one of one wei with all the rest", async () => {
    await world.beginExit(500n * NGPU_WEI);
    await world.slash({ amountWei: 1n });
    expect(await world.stakeOf()).to.deep.include({
      stakedWei: 1_000n * NGPU_WEI - 1n,
      thawingWei: 500n * NGPU_WEI - 1n,
    });
    await world.restore();
    await world.beginExit(1n);
    await world.slash({ amountWei: 1_000n * NGPU_WEI });
    expect(await world.stakeOf()).to.deep.equal({ stakedWei: 0n, thawingWei: 0n, unlockAt: 0 });
    expect([await world.activeOf(), await world.exitsOf()]).to.deep.equal([0n, []]);
  });

  it("leaves a slasher's bucket full, also for what is staked later, when a slash took nothing", async () => {
    await world.slash({ amountWei: 0n });
    await world.stake(500_000n * NGPU_WEI);
    const [availableWei, capacityWei] = await world.bucketOf(world.slasher);
    expect(capacityWei > 1_000n * NGPU_WEI, "above the smallest").to.equal(true);
    expect(availableWei).to.equal(capacityWei);
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

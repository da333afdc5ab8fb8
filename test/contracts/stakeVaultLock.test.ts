/** Stake that settled fees lock: clipped to what is there, gone by time alone, and no way to begin an exit with it. */
import { after, before, beforeEach, describe, it } from "node:test";
import { expect } from "chai";
import { maxUint256, zeroAddress } from "viem";
import { eventsOf } from "./support/chain.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import { createStakeWorld, deployVault, DISPUTE_S, THAW_S, type StakeWorld } from "./support/stake.ts";
import { NGPU_WEI } from "./support/world.ts";

describe("StakeVault fee locks", () => {
  let world: StakeWorld;
  before(async () => {
    world = await createStakeWorld();
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  /** The start of a dispute window that lies ahead. */
  const nextWindow = async () => (Math.floor((await world.now()) / DISPUTE_S) + 2) * DISPUTE_S;

  describe("behaviour", () => {
    it("holds a lock for the rest of its window and the whole next one", async () => {
      const start = await nextWindow();
      await world.lock(300n * NGPU_WEI, start);
      expect(await world.lockedOf()).to.equal(300n * NGPU_WEI);
      await world.lock(50n * NGPU_WEI, start + DISPUTE_S - 1);
      expect(await world.lockedOf()).to.equal(350n * NGPU_WEI);
      await world.increaseTo(start + 2 * DISPUTE_S - 1);
      expect(await world.lockedOf()).to.equal(350n * NGPU_WEI);
      await world.increaseTo(start + 2 * DISPUTE_S);
      expect(await world.lockedOf()).to.equal(0n);
    });

    it("adds what two windows lock, and lets the older go first", async () => {
      const start = await nextWindow();
      await world.lock(300n * NGPU_WEI, start);
      await world.lock(20n * NGPU_WEI, start + DISPUTE_S);
      expect(await world.lockedOf()).to.equal(320n * NGPU_WEI);
      await world.lock(1n * NGPU_WEI, start + 2 * DISPUTE_S);
      expect(await world.lockedOf()).to.equal(21n * NGPU_WEI);
      await world.lock(2n * NGPU_WEI, start + 9 * DISPUTE_S);
      expect(await world.lockedOf()).to.equal(2n * NGPU_WEI);
    });

    it("lets an exit begin with what is free, and with the rest once it is", async () => {
      const start = await nextWindow();
      await world.lock(300n * NGPU_WEI, start);
      expect(await revertOf(world.beginExit(700n * NGPU_WEI + 1n))).to.deep.equal({
        name: "StakeStillLocked",
        args: [world.alpha, 700n * NGPU_WEI, 700n * NGPU_WEI + 1n],
      });
      await world.beginExit(700n * NGPU_WEI);
      expect(await codeOf(world.beginExit(1n))).to.equal("StakeStillLocked");
      await world.beginExit(300n * NGPU_WEI, start + 2 * DISPUTE_S);
      expect(await world.activeOf()).to.equal(0n);
    });

    it("locks what is free where it should lock more, says so and does not revert", async () => {
      const start = await nextWindow();
      await world.beginExit(400n * NGPU_WEI, start);
      const whole = await world.lock(500n * NGPU_WEI);
      expect(whole.logs).to.deep.equal([]);
      const short = (asked: bigint, locked: bigint) => [{ nodeId: world.alpha, askedWei: asked, lockedWei: locked }];
      const receipt = await world.lock(500n * NGPU_WEI);
      expect(eventsOf(receipt, world.vault, "StakeLockShort")).to.deep.equal(
        short(500n * NGPU_WEI, 100n * NGPU_WEI),
      );
      const nothing = await world.lock(maxUint256);
      expect(eventsOf(nothing, world.vault, "StakeLockShort")).to.deep.equal(short(maxUint256, 0n));
      const unknown = await world.lock(7n, undefined, 99);
      expect(eventsOf(unknown, world.vault, "StakeLockShort")).to.deep.equal([
        { nodeId: 99, askedWei: 7n, lockedWei: 0n },
      ]);
      expect(await world.lockedOf()).to.equal(600n * NGPU_WEI);
      expect(await world.lockedOf(world.beta)).to.equal(0n);
    });

    it("counts locked stake as active, and never more of it than a slash left", async () => {
      const start = await nextWindow();
      await world.lock(900n * NGPU_WEI, start);
      expect(await world.activeOf()).to.equal(1_000n * NGPU_WEI);
      await world.slash({ amountWei: 400n * NGPU_WEI });
      expect(await world.lockedOf()).to.equal(600n * NGPU_WEI);
      expect(await codeOf(world.beginExit(1n))).to.equal("StakeStillLocked");
      await world.stake(500n * NGPU_WEI);
      expect(await world.lockedOf()).to.equal(900n * NGPU_WEI);
    });

    it("INV-5: what a fee locked can be slashed until its dispute window has ended, whatever the owner does", async () => {
      const start = await nextWindow();
      await world.lock(600n * NGPU_WEI, start - 1);
      await world.beginExit(400n * NGPU_WEI, start);
      await world.beginExit(600n * NGPU_WEI, start + DISPUTE_S);
      expect(await codeOf(world.withdraw(start + THAW_S - 1))).to.equal("ExitStillThawing");
      await world.withdraw(start + THAW_S);
      expect(await world.slashableOf()).to.equal(600n * NGPU_WEI);
      // Two dispute windows and the appeal after the fee, all of it is there still.
      const { slashedWei } = eventsOf(await world.slash({ amountWei: maxUint256 }), world.vault, "StakeSlashed")[0] ?? {};
      expect(slashedWei).to.equal(600n * NGPU_WEI);
    });
  });

  describe("error", () => {
    it("takes a lock from a rail alone", async () => {
      for (const from of [world.actors.owner, world.actors.deployer, world.slasher]) {
        const act = world.send(from, world.vault, "lock", [world.alpha, 1n]);
        expect(await revertOf(act)).to.deep.equal({ name: "StakeNotRail", args: [from] });
      }
    });

    it("lets the deployer name the rails once, and none of them zero", async () => {
      const { deployer, stranger } = world.actors;
      expect(await codeOf(world.send(deployer, world.vault, "fixRails", [[stranger]]))).to.equal("StakeRailsFixed");
      const fresh = await deployVault(world, world.ngpu);
      expect(await codeOf(world.send(stranger, fresh, "fixRails", [[stranger]]))).to.equal("StakeRailsFixed");
      for (const rails of [[], [world.rail, zeroAddress]] as const) {
        expect(await codeOf(world.send(deployer, fresh, "fixRails", [rails]))).to.equal("StakeZeroAddress");
      }
      const receipt = await world.send(deployer, fresh, "fixRails", [[world.rail, world.actors.keeper]]);
      expect(eventsOf(receipt, fresh, "RailsFixed")).to.deep.equal([{ rails: [world.rail, world.actors.keeper] }]);
      for (const [account, expected] of [
        [world.rail, true],
        [world.actors.keeper, true],
        [deployer, false],
      ] as const) {
        const read = { ...fresh, functionName: "isRail", args: [account] } as const;
        expect(await world.publicClient.readContract(read)).to.equal(expected);
      }
    });
  });
});

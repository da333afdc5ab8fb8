/** What a fault costs: taken within the bounds of stake and bucket, held for appeal, then shared and burned. */
import { after, before, beforeEach, describe, it } from "node:test";
import { expect } from "chai";
import { maxUint256, zeroAddress } from "viem";
import { eventsOf } from "./support/chain.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import {
  APPEAL_S,
  createStakeWorld,
  DAY_S,
  deployVault,
  nobody,
  SLASHER_ROLE,
  tokenAbi,
  type StakeWorld,
} from "./support/stake.ts";
import { NGPU_WEI } from "./support/world.ts";

const none = {
  compensated: zeroAddress,
  payableAt: 0,
  nodeId: 0,
  challenger: zeroAddress,
  challengerWei: 0n,
  slashedWei: 0n,
  compensationWei: 0n,
};

describe("StakeVault slashes", () => {
  let world: StakeWorld;
  before(async () => {
    world = await createStakeWorld();
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  const supply = () =>
    world.publicClient.readContract({ abi: tokenAbi, address: world.ngpu.address, functionName: "totalSupply" });

  describe("behaviour", () => {
    it("takes what is asked, clips both shares and holds all of it", async () => {
      const at = (await world.now()) + 10;
      const receipt = await world.slash(
        { amountWei: 100n * NGPU_WEI, compensationWei: maxUint256, challengerWei: maxUint256 },
        { at },
      );
      const order = world.anOrder();
      expect(eventsOf(receipt, world.vault, "StakeSlashed")).to.deep.equal([
        {
          slashId: 1n,
          nodeId: world.alpha,
          slasher: world.slasher,
          reason: order.reason,
          evidence: order.evidence,
          askedWei: 100n * NGPU_WEI,
          slashedWei: 100n * NGPU_WEI,
          compensationWei: 40n * NGPU_WEI,
          challengerWei: 10n * NGPU_WEI,
          payableAt: at + APPEAL_S,
        },
      ]);
      expect(await world.slashOf(1n)).to.deep.equal({
        compensated: world.harmed,
        payableAt: at + APPEAL_S,
        nodeId: world.alpha,
        challenger: world.finder,
        challengerWei: 10n * NGPU_WEI,
        slashedWei: 100n * NGPU_WEI,
        compensationWei: 40n * NGPU_WEI,
      });
      expect(await world.slashableOf()).to.equal(900n * NGPU_WEI);
      expect(await world.totalStaked()).to.equal(1_900n * NGPU_WEI);
      expect(await world.balanceOf(world.vault.address)).to.equal(2_000n * NGPU_WEI);
    });

    it("credits both shares and burns the rest, whoever calls, and not a second before", async () => {
      const at = (await world.now()) + 10;
      await world.slash({ compensationWei: 30n * NGPU_WEI, challengerWei: 5n * NGPU_WEI }, { at });
      expect(await revertOf(world.finish(1n, at + APPEAL_S - 1))).to.deep.equal({
        name: "SlashNotPayable",
        args: [1n, at + APPEAL_S],
      });
      const before = await supply();
      const receipt = await world.finish(1n, at + APPEAL_S);
      expect(eventsOf(receipt, world.vault, "SlashFinished")).to.deep.equal([
        {
          slashId: 1n,
          compensated: world.harmed,
          compensationWei: 30n * NGPU_WEI,
          challenger: world.finder,
          challengerWei: 5n * NGPU_WEI,
          burnedWei: 65n * NGPU_WEI,
        },
      ]);
      expect(before - (await supply())).to.equal(65n * NGPU_WEI);
      expect(await world.balanceOf(world.vault.address)).to.equal(1_935n * NGPU_WEI);
      for (const [account, amountWei] of [
        [world.harmed, 30n * NGPU_WEI],
        [world.finder, 5n * NGPU_WEI],
      ] as const) {
        expect(await world.creditOf(account)).to.equal(amountWei);
        const paid = await world.payCredit(account);
        expect(eventsOf(paid, world.vault, "StakeCreditPaid")).to.deep.equal([{ account, amountWei }]);
        expect(await world.balanceOf(account)).to.equal(amountWei);
        expect(await codeOf(world.payCredit(account))).to.equal("StakeZeroAmount");
      }
      expect(await world.balanceOf(world.vault.address)).to.equal(1_900n * NGPU_WEI);
      expect(await world.slashOf(1n)).to.deep.equal(none);
    });

    it("gives all of it back on appeal, until the window ends", async () => {
      const at = (await world.now()) + 10;
      await world.slash({ compensationWei: 40n * NGPU_WEI }, { at });
      await world.slash({ amountWei: 50n * NGPU_WEI }, { at: at + 1 });
      const receipt = await world.reverse(1n, at + APPEAL_S - 1);
      expect(eventsOf(receipt, world.vault, "SlashReversed")).to.deep.equal([
        { slashId: 1n, nodeId: world.alpha, amountWei: 100n * NGPU_WEI, stakedWei: 950n * NGPU_WEI },
      ]);
      expect(await world.activeOf()).to.equal(950n * NGPU_WEI);
      expect(await world.totalStaked()).to.equal(1_950n * NGPU_WEI);
      expect(await revertOf(world.reverse(2n, at + 1 + APPEAL_S))).to.deep.equal({
        name: "SlashFinal",
        args: [2n, at + 1 + APPEAL_S],
      });
      for (const act of [() => world.reverse(1n), () => world.finish(1n)]) {
        expect(await revertOf(act())).to.deep.equal({ name: "SlashNotHeld", args: [1n] });
      }
      await world.finish(2n);
      expect(await world.creditOf(world.harmed)).to.equal(0n);
    });

    it("takes from active and thawing stake in proportion, from every exit alike", async () => {
      const start = (await world.now()) + 10;
      await world.beginExit(100n * NGPU_WEI, start);
      await world.beginExit(300n * NGPU_WEI, start + 5);
      const receipt = await world.slash({ amountWei: 250n * NGPU_WEI });
      expect(eventsOf(receipt, world.vault, "ExitsSlashed")).to.deep.equal([
        { nodeId: world.alpha, takenWei: 100n * NGPU_WEI, thawingWei: 300n * NGPU_WEI },
      ]);
      expect(await world.activeOf()).to.equal(450n * NGPU_WEI);
      const left = (await world.exitsOf()).map(({ amountWei }) => amountWei);
      expect(left).to.deep.equal([75n * NGPU_WEI, 225n * NGPU_WEI]);
      await world.increase(400);
      await world.withdraw();
      expect(await world.stakeOf()).to.deep.equal({ stakedWei: 450n * NGPU_WEI, thawingWei: 0n, unlockAt: 0 });
    });

    it("voids the exits that a slash leaves next to nothing of, and keeps the rest active", async () => {
      const on = await world.vaultOn("BlocklistToken", 2n ** 31n);
      await on.stake(2n ** 31n);
      await on.beginExit(2n ** 31n);
      await on.slash({ amountWei: 2n ** 31n - 2n });
      expect(await on.stakeOf()).to.include({ stakedWei: 2n, thawingWei: 2n });
      const receipt = await on.slash({ amountWei: 1n });
      expect(eventsOf(receipt, on.vault, "ExitsSlashed")).to.deep.equal([
        { nodeId: world.alpha, takenWei: 1n, thawingWei: 0n },
      ]);
      expect(await on.stakeOf()).to.deep.equal({ stakedWei: 1n, thawingWei: 0n, unlockAt: 0 });
      expect(await codeOf(on.withdraw())).to.equal("ExitNotBegun");
      await on.beginExit(1n);
    });

    it("INV-6: gives each slasher a bucket of its own that refills evenly over a day", async () => {
      await world.send(world.actors.deployer, world.ngpu, "transfer", [world.actors.owner, 10_000n * NGPU_WEI]);
      await world.stake(998_000n * NGPU_WEI, world.beta);
      const at = (await world.now()) + 10;
      // Two hundredths of a million.
      const first = await world.slash({ amountWei: 15_000n * NGPU_WEI }, { nodeId: world.beta, at });
      expect(eventsOf(first, world.vault, "StakeSlashed")[0]?.slashedWei).to.equal(15_000n * NGPU_WEI);
      const capacity = (985_000n * NGPU_WEI * 2n) / 100n;
      expect(await world.bucketOf(world.otherSlasher)).to.deep.equal([capacity, capacity]);
      // A bucket holds what was left when it was used last, and refills by today's capacity.
      const hour = await world.slash({ amountWei: maxUint256 }, { nodeId: world.beta, at: at + 3_600 });
      const left = 5_000n * NGPU_WEI + (capacity * 3_600n) / BigInt(DAY_S);
      const { slashedWei = 0n, askedWei } = eventsOf(hour, world.vault, "StakeSlashed")[0] ?? {};
      expect([slashedWei, askedWei]).to.deep.equal([left, maxUint256]);
      const again = await world.slash({}, { nodeId: world.beta, at: at + 3_600 + DAY_S });
      expect(eventsOf(again, world.vault, "StakeSlashed")[0]?.slashedWei).to.equal(100n * NGPU_WEI);
      const [available, full] = await world.bucketOf(world.slasher);
      expect(full - available < 101n * NGPU_WEI).to.equal(true);
    });

    it("records a fault where there is nothing to take, and holds nothing", async () => {
      const receipt = await world.slash({}, { nodeId: world.nodes.gamma.nodeId });
      const events = eventsOf(receipt, world.vault, "StakeSlashed");
      expect(events.map(({ slashId, slashedWei }) => [slashId, slashedWei])).to.deep.equal([[0n, 0n]]);
      expect(await world.slashOf(0n)).to.deep.equal(none);
      expect(await codeOf(world.finish(0n))).to.equal("SlashNotHeld");
      expect(await world.bucketOf(world.slasher)).to.deep.equal(await world.bucketOf(world.otherSlasher));
    });

    it("burns the share of nobody", async () => {
      await world.slash({ ...nobody, compensationWei: maxUint256, challengerWei: maxUint256 });
      await world.increase(APPEAL_S);
      const receipt = await world.finish(1n);
      expect(eventsOf(receipt, world.vault, "SlashFinished")[0]?.burnedWei).to.equal(100n * NGPU_WEI);
      expect(await world.creditOf(zeroAddress)).to.equal(0n);
    });

    it("makes a node ineligible when it falls below its class's minimum", async () => {
      const { stakeVault, registry, nodes, actors } = world;
      await world.send(actors.deployer, world.accessManager, "grantRole", [SLASHER_ROLE, actors.keeper, 0]);
      const eligible = () =>
        world.publicClient.readContract({ ...registry, functionName: "isEligible", args: [nodes.alpha.nodeId] });
      const slash = (amountWei: bigint) =>
        world.send(actors.keeper, stakeVault, "slash", [nodes.alpha.nodeId, world.anOrder({ amountWei })]);
      await slash(900n * NGPU_WEI);
      expect(await eligible()).to.equal(true);
      await slash(1n);
      expect(await eligible()).to.equal(false);
    });
  });

  describe("error", () => {
    it("takes slashes from slashers and reversals from an appeal alone, while they hold the role", async () => {
      const { deployer, owner, stranger } = world.actors;
      for (const from of [deployer, owner, stranger, world.appeal, world.rail]) {
        expect(await revertOf(world.slash({}, { from }))).to.deep.equal({
          name: "StakeRoleMissing",
          args: [SLASHER_ROLE, from],
        });
      }
      await world.slash();
      // The deployer of the local chain holds the appeal role.
      for (const from of [owner, stranger, world.slasher]) {
        const act = world.send(from, world.vault, "reverseSlash", [1n]);
        expect(await revertOf(act)).to.deep.equal({ name: "StakeRoleMissing", args: [4n, from] });
      }
      await world.send(deployer, world.accessManager, "revokeRole", [SLASHER_ROLE, world.slasher]);
      expect(await codeOf(world.slash())).to.equal("StakeRoleMissing");
      await world.slash({}, { from: world.otherSlasher });
    });

    it("does not wait for a delay that a slasher was granted with", async () => {
      await world.send(world.actors.deployer, world.accessManager, "grantRole", [SLASHER_ROLE, world.finder, 3_600]);
      const receipt = await world.slash({}, { from: world.finder });
      expect(eventsOf(receipt, world.vault, "StakeSlashed")[0]?.slashedWei).to.equal(100n * NGPU_WEI);
    });

    it("refuses slashes that never were", async () => {
      for (const slashId of [0n, 1n, maxUint256]) {
        expect(await revertOf(world.finish(slashId))).to.deep.equal({ name: "SlashNotHeld", args: [slashId] });
        expect(await revertOf(world.reverse(slashId))).to.deep.equal({ name: "SlashNotHeld", args: [slashId] });
      }
    });

    it("keeps a minimum in the bucket however little is staked", async () => {
      const vault = await deployVault(world, world.ngpu, { minimumBucketWei: 7n });
      const { owner } = world.actors;
      await world.send(owner, world.ngpu, "approve", [vault.address, maxUint256]);
      await world.send(owner, vault, "stake", [world.alpha, 349n]);
      const read = { ...vault, functionName: "bucketOf", args: [world.slasher] } as const;
      expect(await world.publicClient.readContract(read)).to.deep.equal([7n, 7n]);
      await world.send(owner, vault, "stake", [world.alpha, 51n]);
      expect(await world.publicClient.readContract(read)).to.deep.equal([8n, 8n]);
    });
  });
});

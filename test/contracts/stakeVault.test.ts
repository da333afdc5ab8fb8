/**
 * Stake and its way out: contracts/StakeVault.sol, INV-4. Every test on money says where the tokens ended. Locks and
 * slashes have files of their own.
 */
import { after, before, beforeEach, describe, it } from "node:test";
import { expect } from "chai";
import { zeroAddress, type Address } from "viem";
import { eventsOf } from "./support/chain.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import { DAY_S, deployVault, terms, THAW_S, tokenAbi } from "./support/stake.ts";
import { createWorld, NGPU_WEI, type World } from "./support/world.ts";

describe("StakeVault", () => {
  let world: World;
  let owner: Address;
  let alpha: number;

  before(async () => {
    world = await createWorld();
    owner = world.actors.owner;
    alpha = world.nodes.alpha.nodeId;
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  const balanceOf = (account: Address, token: { address: Address } = world.ngpu) =>
    world.publicClient.readContract({ abi: tokenAbi, address: token.address, functionName: "balanceOf", args: [account] });
  const stakeOf = (nodeId: number) =>
    world.publicClient.readContract({ ...world.stakeVault, functionName: "stakeOf", args: [nodeId] });
  const activeOf = (nodeId: number) =>
    world.publicClient.readContract({ ...world.stakeVault, functionName: "activeStakeOf", args: [nodeId] });
  const beginExit = (amountWei: bigint, at?: number) =>
    world.send(owner, world.stakeVault, "beginExit", [alpha, amountWei], at === undefined ? {} : { at });

  describe("behaviour", () => {
    it("moves exactly the stake from the owner's wallet to the vault", async () => {
      const [ownerBefore, vaultBefore] = [await balanceOf(owner), await balanceOf(world.stakeVault.address)];
      const receipt = await world.send(owner, world.stakeVault, "stake", [alpha, 7n * NGPU_WEI]);
      expect(eventsOf(receipt, world.stakeVault, "StakeDeposited")).to.deep.equal([
        { nodeId: alpha, from: owner, amountWei: 7n * NGPU_WEI, stakedWei: 1_007n * NGPU_WEI },
      ]);
      expect(await balanceOf(owner)).to.equal(ownerBefore - 7n * NGPU_WEI);
      expect(await balanceOf(world.stakeVault.address)).to.equal(vaultBefore + 7n * NGPU_WEI);
      expect((await stakeOf(alpha)).stakedWei).to.equal(1_007n * NGPU_WEI);
    });

    it("counts a thawing part as held but not as active", async () => {
      const at = (await world.now()) + 10;
      const receipt = await beginExit(400n * NGPU_WEI, at);
      expect(eventsOf(receipt, world.stakeVault, "ExitBegun")).to.deep.equal([
        { nodeId: alpha, amountWei: 400n * NGPU_WEI, unlockAt: at + THAW_S },
      ]);
      expect(await stakeOf(alpha)).to.deep.equal({
        stakedWei: 1_000n * NGPU_WEI,
        thawingWei: 400n * NGPU_WEI,
        unlockAt: at + THAW_S,
      });
      expect(await activeOf(alpha)).to.equal(600n * NGPU_WEI);
    });

    it("sends the thawed part to the owner, whoever calls, and not a second before", async () => {
      const start = (await world.now()) + 10;
      await beginExit(400n * NGPU_WEI, start);
      const before = await balanceOf(owner);
      const withdraw = (at: number) =>
        world.send(world.actors.stranger, world.stakeVault, "withdraw", [alpha], { at });
      expect(await revertOf(withdraw(start + THAW_S - 1))).to.deep.equal({
        name: "ExitStillThawing",
        args: [alpha, start + THAW_S],
      });
      const receipt = await withdraw(start + THAW_S);
      expect(eventsOf(receipt, world.stakeVault, "StakeWithdrawn")).to.deep.equal([
        { nodeId: alpha, to: owner, amountWei: 400n * NGPU_WEI, stakedWei: 600n * NGPU_WEI },
      ]);
      expect(await balanceOf(owner)).to.equal(before + 400n * NGPU_WEI);
      expect(await balanceOf(world.stakeVault.address)).to.equal(2_600n * NGPU_WEI);
      expect(await stakeOf(alpha)).to.deep.equal({ stakedWei: 600n * NGPU_WEI, thawingWei: 0n, unlockAt: 0 });
    });

    it("keeps several exits apart and withdraws every one that is due", async () => {
      const start = (await world.now()) + 10;
      const amounts = [100n, 200n, 300n].map((ngpu) => ngpu * NGPU_WEI);
      for (const [i, amount] of amounts.entries()) await beginExit(amount, start + 20 * i);
      const exits = () =>
        world.publicClient.readContract({ ...world.stakeVault, functionName: "exitsOf", args: [alpha] });
      expect(await exits()).to.deep.equal(
        amounts.map((amountWei, i) => ({ amountWei, unlockAt: start + 20 * i + THAW_S })),
      );
      const withdraw = (at: number) => world.send(owner, world.stakeVault, "withdraw", [alpha], { at });
      const receipt = await withdraw(start + 20 + THAW_S);
      expect(eventsOf(receipt, world.stakeVault, "StakeWithdrawn")).to.deep.equal([
        { nodeId: alpha, to: owner, amountWei: 300n * NGPU_WEI, stakedWei: 700n * NGPU_WEI },
      ]);
      const unlockAt = start + 40 + THAW_S;
      expect(await stakeOf(alpha)).to.deep.equal({ stakedWei: 700n * NGPU_WEI, thawingWei: 300n * NGPU_WEI, unlockAt });
      expect(await revertOf(withdraw(unlockAt - 1))).to.deep.equal({ name: "ExitStillThawing", args: [alpha, unlockAt] });
      await withdraw(unlockAt);
      expect(await stakeOf(alpha)).to.deep.equal({ stakedWei: 400n * NGPU_WEI, thawingWei: 0n, unlockAt: 0 });
      expect(await exits()).to.deep.equal([]);
    });

    it("makes a cancelled exit active again", async () => {
      await beginExit(400n * NGPU_WEI);
      const receipt = await world.send(owner, world.stakeVault, "cancelExit", [alpha]);
      expect(eventsOf(receipt, world.stakeVault, "ExitCancelled")).to.deep.equal([
        { nodeId: alpha, amountWei: 400n * NGPU_WEI },
      ]);
      expect(await activeOf(alpha)).to.equal(1_000n * NGPU_WEI);
      expect(await balanceOf(world.stakeVault.address)).to.equal(3_000n * NGPU_WEI);
    });

    it("lets everything leave, to the last wei", async () => {
      await beginExit(1_000n * NGPU_WEI);
      await world.increase(THAW_S);
      await world.send(owner, world.stakeVault, "withdraw", [alpha]);
      expect((await stakeOf(alpha)).stakedWei).to.equal(0n);
      expect(await balanceOf(world.stakeVault.address)).to.equal(2_000n * NGPU_WEI);
    });
  });

  describe("error", () => {
    it("refuses windows outside their bounds, up to the largest number", async () => {
      for (const thaw of [0, 59, 28 * DAY_S + 1, 2 ** 40 - 1]) {
        const act = deployVault(world, world.ngpu, { thawPeriodSeconds: thaw });
        expect(await revertOf(act)).to.deep.equal({ name: "ThawPeriodOutOfBounds", args: [thaw, 60, 28 * DAY_S] });
      }
      for (const [dispute, appeal] of [
        [0, 60],
        [60, 0],
        [121, 60],
        [120, 61],
        [2 ** 40 - 1, 1],
        [1, 2 ** 40 - 1],
      ] as const) {
        const act = deployVault(world, world.ngpu, { disputeWindowSeconds: dispute, appealWindowSeconds: appeal });
        expect(await revertOf(act)).to.deep.equal({ name: "StakeWindowsOutOfBounds", args: [dispute, appeal, 300] });
      }
      await deployVault(world, world.ngpu, { disputeWindowSeconds: 120, appealWindowSeconds: 60 });
    });

    it("refuses to be deployed without a token, a registry, an access manager or a bucket", async () => {
      const { ngpu, registry, accessManager } = world;
      const addresses = [ngpu.address, registry.address, accessManager.address];
      for (const missing of addresses.keys()) {
        const args = [...addresses.map((address, index) => (index === missing ? zeroAddress : address)), terms];
        expect(await codeOf(world.deploy("StakeVault", world.stakeVault.abi, args))).to.equal("StakeZeroAddress");
      }
      expect(await codeOf(deployVault(world, world.ngpu, { minimumBucketWei: 0n }))).to.equal("StakeZeroAmount");
    });

    it("lets nobody but the owner stake for, or exit, a node", async () => {
      const { stranger } = world.actors;
      const acts = [
        () => world.send(stranger, world.stakeVault, "stake", [alpha, 1n]),
        () => world.send(stranger, world.stakeVault, "beginExit", [alpha, 1n]),
        () => world.send(stranger, world.stakeVault, "cancelExit", [alpha]),
      ];
      for (const act of acts) {
        expect(await revertOf(act())).to.deep.equal({ name: "StakeNotOwner", args: [alpha, stranger] });
      }
      expect(await codeOf(world.send(owner, world.stakeVault, "stake", [99, 1n]))).to.equal("NodeUnknown");
    });

    it("refuses zero, more than is active and an exit that never began", async () => {
      expect(await codeOf(world.send(owner, world.stakeVault, "stake", [alpha, 0n]))).to.equal("StakeZeroAmount");
      expect(await codeOf(beginExit(0n))).to.equal("StakeZeroAmount");
      expect(await revertOf(beginExit(1_000n * NGPU_WEI + 1n))).to.deep.equal({
        name: "StakeInsufficient",
        args: [alpha, 1_000n * NGPU_WEI, 1_000n * NGPU_WEI + 1n],
      });
      expect(await codeOf(world.send(owner, world.stakeVault, "withdraw", [alpha]))).to.equal("ExitNotBegun");
      expect(await codeOf(world.send(owner, world.stakeVault, "cancelExit", [alpha]))).to.equal("ExitNotBegun");
    });

    it("takes 32 exits at once and no more, until one is withdrawn", async () => {
      const start = (await world.now()) + 10;
      for (let i = 0; i < 32; i++) await beginExit(1n, start + 2 * i);
      expect(await revertOf(beginExit(1n))).to.deep.equal({ name: "ExitPending", args: [alpha, start + THAW_S] });
      await world.send(owner, world.stakeVault, "withdraw", [alpha], { at: start + THAW_S });
      await beginExit(1n);
      expect(await codeOf(beginExit(1n))).to.equal("ExitPending");
    });

    it("pays a thawed exit once", async () => {
      await beginExit(1n);
      await world.increase(THAW_S);
      await world.send(owner, world.stakeVault, "withdraw", [alpha]);
      expect(await codeOf(world.send(owner, world.stakeVault, "withdraw", [alpha]))).to.equal("ExitNotBegun");
      expect(await balanceOf(world.stakeVault.address)).to.equal(3_000n * NGPU_WEI - 1n);
    });
  });
});

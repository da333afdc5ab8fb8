/** Stake and its way out: contracts/StakeVault.sol, INV-4. Every test on money says where the tokens ended. */
import { after, before, beforeEach, describe, it } from "node:test";
import { expect } from "chai";
import { maxUint256, parseAbi, zeroAddress, type Address } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { eventsOf } from "./support/chain.ts";
import { devKey } from "./support/devKey.ts";
import { signPermit } from "./support/permit.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import { createWorld, NGPU_WEI, type World } from "./support/world.ts";

const THAW_S = 300;
const DAY_S = 24 * 3_600;
const erc20 = parseAbi([
  "function approve(address spender, uint256 value) returns (bool)",
  "function transfer(address to, uint256 value) returns (bool)",
  "function balanceOf(address account) view returns (uint256)",
  "function setBlocked(address account, bool blocked)",
]);

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
    world.publicClient.readContract({ abi: erc20, address: token.address, functionName: "balanceOf", args: [account] });
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

    it("stakes with a permit, and just as well when somebody used the permit first", async () => {
      const account = privateKeyToAccount(devKey(3));
      await world.send(owner, world.ngpu, "approve", [world.stakeVault.address, 0n]);
      for (const frontRun of [false, true]) {
        const value = 5n * NGPU_WEI;
        const request = { owner: account, token: world.ngpu, spender: world.stakeVault.address, value };
        const { deadline, v, r, s } = await signPermit(world, request);
        if (frontRun) {
          const permit = [owner, world.stakeVault.address, value, deadline, v, r, s] as const;
          await world.send(world.actors.stranger, world.ngpu, "permit", permit);
        }
        await world.send(owner, world.stakeVault, "stakeWithPermit", [alpha, value, deadline, v, r, s]);
      }
      expect((await stakeOf(alpha)).stakedWei).to.equal(1_010n * NGPU_WEI);
      const invalid = [alpha, 1n, maxUint256, 27, `0x${"11".repeat(32)}`, `0x${"11".repeat(32)}`] as const;
      const act = world.send(owner, world.stakeVault, "stakeWithPermit", invalid);
      expect(await codeOf(act)).to.equal("ERC20InsufficientAllowance");
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

    it("ends every thaw that may be fixed after it began, the longest included", async () => {
      for (const thaw of [60, 28 * DAY_S]) {
        const args = [world.ngpu.address, world.registry.address, thaw];
        const vault = await world.deploy("StakeVault", world.stakeVault.abi, args);
        await world.send(owner, world.ngpu, "approve", [vault.address, maxUint256]);
        await world.send(owner, vault, "stake", [alpha, 1n]);
        const at = (await world.now()) + 10;
        await world.send(owner, vault, "beginExit", [alpha, 1n], { at });
        const stake = await world.publicClient.readContract({ ...vault, functionName: "stakeOf", args: [alpha] });
        expect(stake.unlockAt).to.equal(at + thaw);
        expect(await codeOf(world.send(owner, vault, "withdraw", [alpha]))).to.equal("ExitStillThawing");
      }
    });
  });

  describe("error", () => {
    it("refuses a thaw period outside its bounds, up to the largest number", async () => {
      for (const thaw of [0, 59, 28 * DAY_S + 1, 2 ** 40 - 1]) {
        const args = [world.ngpu.address, world.registry.address, thaw];
        const act = world.deploy("StakeVault", world.stakeVault.abi, args);
        expect(await revertOf(act)).to.deep.equal({ name: "ThawPeriodOutOfBounds", args: [thaw, 60, 28 * DAY_S] });
      }
      for (const args of [[zeroAddress, world.registry.address, 60], [world.ngpu.address, zeroAddress, 60]]) {
        expect(await codeOf(world.deploy("StakeVault", world.stakeVault.abi, args))).to.equal("StakeZeroAddress");
      }
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

    it("refuses zero, more than is active, a second exit and an exit that never began", async () => {
      expect(await codeOf(world.send(owner, world.stakeVault, "stake", [alpha, 0n]))).to.equal("StakeZeroAmount");
      expect(await codeOf(beginExit(0n))).to.equal("StakeZeroAmount");
      expect(await revertOf(beginExit(1_000n * NGPU_WEI + 1n))).to.deep.equal({
        name: "StakeInsufficient",
        args: [alpha, 1_000n * NGPU_WEI, 1_000n * NGPU_WEI + 1n],
      });
      expect(await codeOf(world.send(owner, world.stakeVault, "withdraw", [alpha]))).to.equal("ExitNotBegun");
      expect(await codeOf(world.send(owner, world.stakeVault, "cancelExit", [alpha]))).to.equal("ExitNotBegun");
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

    it("does not credit what a token that keeps a fee did not deliver", async () => {
      const token = await world.deploy("FeeToken", erc20, [owner, 1_000n]);
      const args = [token.address, world.registry.address, 60];
      const vault = await world.deploy("StakeVault", world.stakeVault.abi, args);
      await world.send(owner, token, "approve", [vault.address, maxUint256]);
      const act = world.send(owner, vault, "stake", [alpha, 1_000n]);
      expect(await revertOf(act)).to.deep.equal({ name: "StakeTokenShort", args: [1_000n, 990n] });
      expect(await balanceOf(owner, token)).to.equal(1_000n);
    });

    it("lets a blocked owner hold up nobody else's exit", async () => {
      const token = await world.deploy("BlocklistToken", erc20, [owner, 1_000n]);
      const args = [token.address, world.registry.address, 60];
      const vault = await world.deploy("StakeVault", world.stakeVault.abi, args);
      const { stranger } = world.actors;
      const consent = await world.bind(stranger, privateKeyToAccount(devKey(7)));
      const register = [world.accountAt(7), stranger, 0, 2n ** 40n, consent] as const;
      await world.send(stranger, world.registry, "register", register);
      await world.send(owner, token, "transfer", [stranger, 400n]);
      for (const [from, nodeId] of [[owner, alpha], [stranger, 4]] as const) {
        await world.send(from, token, "approve", [vault.address, maxUint256]);
        await world.send(from, vault, "stake", [nodeId, 400n]);
        await world.send(from, vault, "beginExit", [nodeId, 400n]);
      }
      await world.increase(60);
      await world.send(owner, token, "setBlocked", [stranger, true]);
      expect(await codeOf(world.send(owner, vault, "withdraw", [4]))).to.equal("TokenReceiverBlocked");
      await world.send(owner, vault, "withdraw", [alpha]);
      expect(await balanceOf(owner, token)).to.equal(600n);
      expect(await balanceOf(vault.address, token)).to.equal(400n);
    });
  });
});

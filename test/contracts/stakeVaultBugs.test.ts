/** Bugs that other staking contracts had, by the class and where it was found; each is impossible here. */
import { after, before, beforeEach, describe, it } from "node:test";
import { expect } from "chai";
import { encodeFunctionData, maxUint256, parseAbi, zeroAddress, type Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { eventsOf } from "./support/chain.ts";
import { devKey } from "./support/devKey.ts";
import { signPermit } from "./support/permit.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import {
  APPEAL_S,
  BURN_ADDRESS,
  createStakeWorld,
  DAY_S,
  deployVault,
  DISPUTE_S,
  nobody,
  SLASHER_ROLE,
  THAW_S,
  tokenAbi,
  type StakeWorld,
} from "./support/stake.ts";
import { NGPU_WEI } from "./support/world.ts";

const managerAbi = parseAbi(["function setTargetClosed(address target, bool closed)"]);

describe("StakeVault, bugs of others", () => {
  let world: StakeWorld;
  before(async () => {
    world = await createStakeWorld();
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  const slashedBy = async (receipt: ReturnType<StakeWorld["slash"]>) =>
    eventsOf(await receipt, world.vault, "StakeSlashed")[0]?.slashedWei;
  const vaultBalance = () => world.balanceOf(world.vault.address);

  it("bug class 1 (a credit nobody paid for; Graph-OZ-24 C-01): stake rises by what came in, and by nothing else", async () => {
    const staked = () => world.totalStaked();
    for (const act of [
      () => world.stake(5n),
      () => world.send(world.actors.owner, world.ngpu, "transfer", [world.vault.address, 7n]),
    ]) {
      const [stakedBefore, tokensBefore] = [await staked(), await vaultBalance()];
      await act();
      expect((await vaultBalance()) - tokensBefore >= (await staked()) - stakedBefore).to.equal(true);
    }
    expect(await staked()).to.equal(2_000n * NGPU_WEI + 5n);
    expect(await codeOf(world.reverse(1n))).to.equal("SlashNotHeld");
    await world.slash();
    await world.reverse(1n);
    expect(await codeOf(world.reverse(1n))).to.equal("SlashNotHeld");
    expect(await staked()).to.equal(2_000n * NGPU_WEI + 5n);
  });

  it("bug class 2 (slash above balance; Graph-OZ-24 M-05, keep-core #1625): takes all there is, then nothing, and does not revert", async () => {
    expect(await slashedBy(world.slash({ amountWei: maxUint256 }))).to.equal(1_000n * NGPU_WEI);
    expect(await slashedBy(world.slash({ amountWei: maxUint256 }))).to.equal(0n);
    expect(await slashedBy(world.slash({ amountWei: 1n }, { from: world.otherSlasher }))).to.equal(0n);
    expect(await world.stakeOf()).to.deep.equal({ stakedWei: 0n, thawingWei: 0n, unlockAt: 0 });
    expect(await world.slashableOf(world.beta)).to.equal(1_000n * NGPU_WEI);
  });

  it("bug class 3 (a provider makes the slash revert; Graph-OZ-24 H-02, H-05, OZ-25 M-02): nothing an owner sets or does first holds it up", async () => {
    const { owner } = world.actors;
    for (let i = 0; i < 31; i++) await world.beginExit(1n);
    await world.beginExit(1_000n * NGPU_WEI - 31n);
    await world.send(owner, world.registry, "setDraining", [world.alpha, true]);
    await world.send(owner, world.registry, "setPayout", [world.alpha, world.vault.address]);
    // So small that exits of 1 wei are worth nothing afterwards, though the pool is not empty.
    expect(await slashedBy(world.slash({ amountWei: 999n * NGPU_WEI }))).to.equal(999n * NGPU_WEI);
    await world.cancelExit();
    await world.beginExit(1n * NGPU_WEI);
    expect(await slashedBy(world.slash({ amountWei: 1n }, { from: world.otherSlasher }))).to.equal(1n);
    expect(await slashedBy(world.slash({ amountWei: maxUint256 }, { from: world.otherSlasher }))).to.equal(
      1n * NGPU_WEI - 1n,
    );
  });

  it("bug class 4 (now + thaw overflows; Graph-OZ-25 M-01): every thaw that may be fixed ends after it began, the longest included", async () => {
    const { owner } = world.actors;
    for (const thaw of [60, 28 * DAY_S]) {
      const windows = { disputeWindowSeconds: thaw / 3, appealWindowSeconds: thaw / 3 };
      const vault = await deployVault(world, world.ngpu, { thawPeriodSeconds: thaw, ...windows });
      await world.send(owner, world.ngpu, "approve", [vault.address, maxUint256]);
      await world.send(owner, vault, "stake", [world.alpha, 1n]);
      const at = (await world.now()) + 10;
      await world.send(owner, vault, "beginExit", [world.alpha, 1n], { at });
      const stake = await world.publicClient.readContract({ ...vault, functionName: "stakeOf", args: [world.alpha] });
      expect(stake.unlockAt).to.equal(at + thaw);
      expect(await codeOf(world.send(owner, vault, "withdraw", [world.alpha]))).to.equal("ExitStillThawing");
    }
    const longest = { thawPeriodSeconds: 2 ** 40 - 1, disputeWindowSeconds: 1, appealWindowSeconds: 1 };
    expect(await codeOf(deployVault(world, world.ngpu, longest))).to.equal("ThawPeriodOutOfBounds");
  });

  it("bug class 5 (stake leaves before its dispute ends; Graph-T M-9, celo #2887, dusk #1912): INV-5 holds at every second of the windows", async () => {
    // The windows that a fault needs fit into the thaw, or there is no vault.
    const tooLong = { disputeWindowSeconds: 2 * DISPUTE_S + 1, appealWindowSeconds: APPEAL_S };
    expect(await codeOf(deployVault(world, world.ngpu, tooLong))).to.equal("StakeWindowsOutOfBounds");
    // The fault happens, and the owner runs in the same second.
    const fault = (await world.now()) + 10;
    await world.beginExit(1_000n * NGPU_WEI, fault);
    expect(await codeOf(world.withdraw(fault + 2 * DISPUTE_S + APPEAL_S))).to.equal("ExitStillThawing");
    const snapshot = await world.slashableOf();
    expect(await slashedBy(world.slash({ amountWei: snapshot }, { at: fault + THAW_S - 1 }))).to.equal(
      1_000n * NGPU_WEI,
    );
    expect(await codeOf(world.withdraw(fault + THAW_S))).to.equal("ExitNotBegun");
  });

  it("bug class 6 (repeated slashes by percent shrink to nothing; Graph-OZ-24 M-02): ten tenths of one snapshot take all of it", async () => {
    const snapshot = await world.slashableOf();
    for (let i = 0; i < 10; i++) {
      expect(await slashedBy(world.slash({ amountWei: snapshot / 10n }))).to.equal(100n * NGPU_WEI);
    }
    expect(await world.slashableOf()).to.equal(0n);
  });

  it("bug class 7 (thawing above stake bricks the last exit; Graph-T H-4): the last exit succeeds after any slashes", async () => {
    await world.beginExit(333n);
    await world.beginExit(993n * NGPU_WEI - 333n);
    for (const amountWei of [1n, 2n, 3n, 10n ** 20n + 1n, 7n, 899n * NGPU_WEI - 999n]) await world.slash({ amountWei });
    await world.beginExit(1n);
    await world.increase(THAW_S + 60);
    const { stakedWei, thawingWei } = await world.stakeOf();
    expect(thawingWei > 0n && thawingWei <= stakedWei).to.equal(true);
    await world.withdraw();
    expect(await world.stakeOf()).to.deep.equal({ stakedWei: stakedWei - thawingWei, thawingWei: 0n, unlockAt: 0 });
    const rest = await world.activeOf();
    await world.beginExit(rest);
    await world.increase(THAW_S);
    await world.withdraw();
    expect(await world.slashableOf()).to.equal(0n);
  });

  it("bug class 9 (ids collide; Graph-T H-2, T25 R-8): no slash id and no voided exit comes back", async () => {
    const ids: (bigint | undefined)[] = [];
    const slash = async () =>
      ids.push(eventsOf(await world.slash({ amountWei: 1n }), world.vault, "StakeSlashed")[0]?.slashId);
    await slash();
    await world.reverse(1n);
    await slash();
    await world.increase(APPEAL_S);
    await world.finish(2n);
    await slash();
    expect(ids).to.deep.equal([1n, 2n, 3n]);
    // The exit of alpha is void; what begins later is a new one, and thaws anew.
    await world.beginExit(100n * NGPU_WEI);
    await world.slash({ amountWei: maxUint256 });
    await world.stake(500n * NGPU_WEI);
    await world.increase(THAW_S);
    const at = (await world.now()) + 10;
    await world.beginExit(5n, at);
    expect(await world.exitsOf()).to.deep.equal([{ amountWei: 5n, unlockAt: at + THAW_S }]);
    expect(await codeOf(world.withdraw(at + 1))).to.equal("ExitStillThawing");
  });

  describe("bug class 18 (a callback re-enters and is counted twice; commerce-payments 3.1.1, EL-Certora H-01)", () => {
    it("lets a token come back into no entry that moves tokens", async () => {
      const on = await world.vaultOn("ReentrantToken", 1_000n);
      const { token, vault } = on;
      const call = (functionName: "stake" | "withdraw" | "payCredit" | "finishSlash", args: readonly unknown[]): Hex =>
        encodeFunctionData({ abi: vault.abi, functionName, args } as Parameters<typeof encodeFunctionData>[0]);
      await on.stake(500n);
      await on.beginExit(100n);
      await on.slash({ amountWei: 50n, compensationWei: 20n });
      await on.slash({ amountWei: 50n, compensationWei: 20n });
      await world.increase(THAW_S);
      await on.finish(1n);
      const comeBack = [
        call("stake", [world.alpha, 1n]),
        call("withdraw", [world.alpha]),
        call("payCredit", [world.harmed]),
        call("finishSlash", [2n]),
      ];
      for (const back of comeBack) {
        await world.send(world.actors.stranger, token, "arm", [vault.address, back]);
        for (const enter of [
          () => on.stake(1n),
          () => on.withdraw(),
          () => on.payCredit(world.harmed),
          () => on.finish(2n),
        ]) {
          expect(await codeOf(enter())).to.equal("ReentrancyGuardReentrantCall");
        }
      }
    });

    it("stays solvent when a token that is a slasher slashes in the middle of a deposit", async () => {
      const on = await world.vaultOn("ReentrantToken", 1_000n);
      const { token, vault } = on;
      await on.stake(100n);
      const manager = world.accessManager;
      await world.send(world.actors.deployer, manager, "grantRole", [SLASHER_ROLE, token.address, 0]);
      const args = [world.alpha, world.anOrder({ amountWei: 150n })] as const;
      const slash = encodeFunctionData({ abi: vault.abi, functionName: "slash", args });
      await world.send(world.actors.stranger, token, "arm", [vault.address, slash]);
      await on.stake(100n);
      await world.send(world.actors.stranger, token, "arm", [zeroAddress, "0x"]);
      const { slashedWei } = await on.slashOf(1n);
      expect([await on.slashableOf(), slashedWei]).to.deep.equal([50n, 150n]);
      expect(await on.balanceOf(vault.address)).to.equal(200n);
      expect(await on.totalStaked()).to.equal(50n);
    });
  });

  it("bug class 19 (a push to a blocked receiver holds up the rest; commerce-payments 3.2.1, elfi #107): everyone else is paid", async () => {
    const on = await world.vaultOn("BlocklistToken", 1_000n);
    const { token, vault } = on;
    const { owner, stranger } = world.actors;
    const consent = await world.bind(stranger, privateKeyToAccount(devKey(7)));
    await world.send(stranger, world.registry, "register", [world.accountAt(7), stranger, 0, 2n ** 40n, consent]);
    await world.send(owner, token, "transfer", [stranger, 400n]);
    await world.send(stranger, token, "approve", [vault.address, maxUint256]);
    await on.stake(400n);
    await world.send(stranger, vault, "stake", [4, 400n]);
    await on.slash({ amountWei: 100n, compensationWei: 40n, challengerWei: 10n });
    await on.beginExit(300n);
    await world.send(stranger, vault, "beginExit", [4, 400n]);
    await world.increase(THAW_S);
    for (const account of [stranger, world.harmed]) await world.send(owner, token, "setBlocked", [account, true]);

    expect(await codeOf(world.send(owner, vault, "withdraw", [4]))).to.equal("TokenReceiverBlocked");
    await on.withdraw();
    await on.finish(1n);
    expect(await codeOf(on.payCredit(world.harmed))).to.equal("TokenReceiverBlocked");
    await on.payCredit(world.finder);
    expect(await on.balanceOf(owner)).to.equal(500n);
    expect(await on.balanceOf(world.finder)).to.equal(10n);
    expect(await on.balanceOf(BURN_ADDRESS)).to.equal(50n);
    // What the blocked have is kept for them.
    expect(await on.creditOf(world.harmed)).to.equal(40n);
    expect(await on.balanceOf(vault.address)).to.equal(440n);
  });

  it("bug class 20 (a permit used first makes the deposit revert; lido #803, zama PR #1682): stakes with a permit either way", async () => {
    const account = privateKeyToAccount(devKey(3));
    const { owner, stranger } = world.actors;
    await world.send(owner, world.ngpu, "approve", [world.vault.address, 0n]);
    for (const frontRun of [false, true]) {
      const value = 5n * NGPU_WEI;
      const request = { owner: account, token: world.ngpu, spender: world.vault.address, value };
      const { deadline, v, r, s } = await signPermit(world, request);
      if (frontRun) {
        await world.send(stranger, world.ngpu, "permit", [owner, world.vault.address, value, deadline, v, r, s]);
      }
      await world.send(owner, world.vault, "stakeWithPermit", [world.alpha, value, deadline, v, r, s]);
    }
    expect(await world.slashableOf()).to.equal(1_010n * NGPU_WEI);
    const invalid = [world.alpha, 1n, maxUint256, 27, `0x${"11".repeat(32)}`, `0x${"11".repeat(32)}`] as const;
    const act = world.send(owner, world.vault, "stakeWithPermit", invalid);
    expect(await codeOf(act)).to.equal("ERC20InsufficientAllowance");
  });

  it("bug class 22 (casts that cut; EL-Cantina 3.1.1, EL-Certora C-01): amounts above every type are clipped, not wrapped", async () => {
    for (const bits of [96n, 112n, 128n, 256n]) {
      const wraps = bits === 256n ? maxUint256 : 2n ** bits + 1n;
      const order = { amountWei: wraps, compensationWei: wraps, challengerWei: wraps };
      const { slashedWei, compensationWei, challengerWei } =
        eventsOf(await world.slash(order, { nodeId: world.beta }), world.vault, "StakeSlashed")[0] ?? {};
      const all = 1_000n * NGPU_WEI;
      expect([slashedWei, compensationWei, challengerWei]).to.deep.equal([all, (all * 4n) / 10n, all / 10n]);
      await world.restore();
      await world.lock(wraps);
      expect(await world.lockedOf()).to.equal(1_000n * NGPU_WEI);
      await world.restore();
    }
    expect(await codeOf(world.stake(2n ** 128n - 1n))).to.equal("Panic");
    const bucket = deployVault(world, world.ngpu, { minimumBucketWei: 2n ** 128n - 1n });
    const read = { ...(await bucket), functionName: "bucketOf", args: [world.slasher] } as const;
    expect(await world.publicClient.readContract(read)).to.deep.equal([2n ** 128n - 1n, 2n ** 128n - 1n]);
  });

  it("bug class 23 (a slash rounds to zero, or zero to all; EL-Cantina 3.1.2, EL-SP-13, GOAT #143): 1 wei costs 1 wei, 0 costs 0", async () => {
    const check = async (asked: bigint) => {
      const before = await world.slashableOf();
      expect(await slashedBy(world.slash({ amountWei: asked, compensationWei: asked }))).to.equal(asked);
      expect(before - (await world.slashableOf())).to.equal(asked);
    };
    for (const asked of [0n, 1n, 2n]) await check(asked);
    await world.beginExit(333n * NGPU_WEI + 1n);
    for (const asked of [0n, 1n, 2n]) await check(asked);
    await world.increase(APPEAL_S);
    // Of 1 wei nobody gets a part.
    const receipt = await world.finish(1n);
    expect(eventsOf(receipt, world.vault, "SlashFinished")[0]?.burnedWei).to.equal(1n);
  });

  it("bug class 27 (slash yourself to leave early; Graph-OZ-25 L-18): INV-17, the owner that bribes a slasher loses half", async () => {
    const { owner } = world.actors;
    const before = await world.balanceOf(owner);
    const at = (await world.now()) + 10;
    const asked = { compensated: owner, compensationWei: maxUint256, challenger: owner, challengerWei: maxUint256 };
    await world.slash({ amountWei: 1_000n * NGPU_WEI, ...asked }, { at });
    expect(await codeOf(world.payCredit(owner))).to.equal("StakeZeroAmount");
    expect(await codeOf(world.finish(1n, at + APPEAL_S - 1))).to.equal("SlashNotPayable");
    await world.finish(1n);
    await world.payCredit(owner);
    expect((await world.balanceOf(owner)) - before).to.equal(500n * NGPU_WEI);
    // Reversed, all of it is active again and has its whole thaw before it.
    await world.beginExit(100n * NGPU_WEI, undefined, world.beta);
    await world.slash({ amountWei: 1_000n * NGPU_WEI }, { nodeId: world.beta, from: world.otherSlasher });
    await world.reverse(2n);
    expect(await world.stakeOf(world.beta)).to.deep.equal({
      stakedWei: 1_000n * NGPU_WEI,
      thawingWei: 0n,
      unlockAt: 0,
    });
  });

  it("bug class 29 (a change reaches what is open; Graph-OZ-25 L-19, L-02): the vault has no setter, and open things keep their terms", async () => {
    const writes = world.vault.abi
      .filter((entry) => entry.type === "function" && entry.stateMutability === "nonpayable")
      .map((entry) => ("name" in entry ? entry.name : ""));
    expect(writes.sort()).to.deep.equal([
      "beginExit",
      "cancelExit",
      "finishSlash",
      "fixRails",
      "lock",
      "payCredit",
      "reverseSlash",
      "slash",
      "stake",
      "stakeWithPermit",
      "withdraw",
    ]);
    const at = (await world.now()) + 10;
    await world.slash({ compensationWei: 40n * NGPU_WEI }, { at });
    const held = await world.slashOf(1n);
    await world.send(world.actors.deployer, world.accessManager, "revokeRole", [SLASHER_ROLE, world.slasher]);
    await world.stake(100_000n * NGPU_WEI);
    expect(await world.slashOf(1n)).to.deep.equal(held);
    await world.finish(1n, at + APPEAL_S);
    expect(await world.creditOf(world.harmed)).to.equal(40n * NGPU_WEI);
  });

  it("bug class 31 (dust staked for others; Livepeer RewardsGriefing): nobody but the owner stakes for a node", async () => {
    const { stranger } = world.actors;
    const acts = [
      () => world.send(stranger, world.vault, "stake", [world.alpha, 1n]),
      () => world.send(stranger, world.vault, "stakeWithPermit", [world.alpha, 1n, maxUint256, 27, zero32, zero32]),
    ];
    for (const act of acts) {
      expect(await revertOf(act())).to.deep.equal({ name: "StakeNotOwner", args: [world.alpha, stranger] });
    }
    await world.send(world.actors.owner, world.ngpu, "transfer", [stranger, 1n]);
    await world.send(stranger, world.ngpu, "transfer", [world.vault.address, 1n]);
    expect(await world.slashableOf()).to.equal(1_000n * NGPU_WEI);
  });

  describe("bug class 32 (tokens that keep a fee or return nothing; Morpho's three ERC-20 mocks)", () => {
    it("does not credit what a token that keeps a fee did not deliver", async () => {
      const on = await world.vaultOn("FeeToken", 1_000n);
      expect(await revertOf(on.stake(1_000n))).to.deep.equal({ name: "StakeTokenShort", args: [1_000n, 990n] });
      expect(await on.balanceOf(world.actors.owner)).to.equal(1_000n);
      expect(await on.slashableOf()).to.equal(0n);
    });

    it("moves a token that returns nothing and cannot burn, to the last wei", async () => {
      const on = await world.vaultOn("NoReturnToken", 1_000n);
      await on.stake(1_000n);
      await on.slash({ amountWei: 200n, compensationWei: 80n, challengerWei: 20n });
      await on.beginExit(800n);
      await world.increase(THAW_S);
      await on.finish(1n);
      await on.withdraw();
      for (const account of [world.harmed, world.finder]) await on.payCredit(account);
      const ends = [world.actors.owner, world.harmed, world.finder, BURN_ADDRESS, on.vault.address] as const;
      expect(await Promise.all(ends.map((account) => on.balanceOf(account)))).to.deep.equal([800n, 80n, 20n, 100n, 0n]);
    });
  });

  describe("gas starvation", () => {
    it("pays and burns a slash together or not at all, whatever gas the caller gives", async () => {
      await world.slash({ ...nobody, amountWei: 100n * NGPU_WEI });
      await world.increase(APPEAL_S);
      const supply = () =>
        world.publicClient.readContract({ abi: tokenAbi, address: world.ngpu.address, functionName: "totalSupply" });
      const before = await supply();
      const wallet = await world.connection.viem.getWalletClient(world.actors.stranger);
      const call = { ...world.vault, functionName: "finishSlash", args: [1n] } as const;
      let starved = 0;
      for (let gas = 24_000n; gas <= 160_000n; gas += 1_000n) {
        try {
          await wallet.writeContract({ ...call, gas });
          break;
        } catch {
          starved += 1;
          expect((await world.slashOf(1n)).slashedWei).to.equal(100n * NGPU_WEI);
          expect(await supply()).to.equal(before);
        }
      }
      expect(starved).to.be.greaterThan(3);
      expect(before - (await supply())).to.equal(100n * NGPU_WEI);
      expect(await world.balanceOf(BURN_ADDRESS)).to.equal(0n);
    });

    it("finishes a slash although the token's burn eats all gas it is given", async () => {
      const on = await world.vaultOn("GreedyBurnToken", 1_000n);
      await on.stake(1_000n);
      await on.slash({ amountWei: 100n });
      await world.increase(APPEAL_S);
      await on.finish(1n);
      expect(await on.balanceOf(BURN_ADDRESS)).to.equal(100n);
    });
  });

  it("INV-10: pauses and revoked roles hold up no exit and no credit", async () => {
    const { deployer } = world.actors;
    await world.slash({ compensationWei: 40n * NGPU_WEI });
    await world.lock(900n * NGPU_WEI);
    for (const target of [world.vault, world.registry]) {
      const manager = { abi: managerAbi, address: world.accessManager.address };
      await world.send(deployer, manager, "setTargetClosed", [target.address, true]);
    }
    for (const [role, account] of [
      [SLASHER_ROLE, world.slasher],
      [SLASHER_ROLE, world.otherSlasher],
      [4n, world.appeal],
      [0n, deployer],
    ] as const) {
      await world.send(deployer, world.accessManager, "revokeRole", [role, account]);
    }
    await world.increase(2 * DISPUTE_S);
    await world.beginExit(900n * NGPU_WEI);
    await world.increase(THAW_S);
    await world.withdraw();
    await world.finish(1n);
    await world.payCredit(world.harmed);
    expect(await vaultBalance()).to.equal(1_000n * NGPU_WEI);
  });
});

const zero32: Hex = `0x${"00".repeat(32)}`;

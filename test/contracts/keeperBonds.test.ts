/** Keepers' bonds and their way out: contracts/KeeperBonds.sol. */
import { after, before, beforeEach, describe, it } from "node:test";
import { expect } from "chai";
import { encodeFunctionData, parseAbi, zeroAddress, type Address } from "viem";
import { eventsOf, type ContractRef } from "./support/chain.ts";
import { createRandom, seedFor } from "./support/random.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import { BOND, createSelectionWorld, seconds, type SelectionWorld } from "./support/selection.ts";
import { NGPU_WEI } from "./support/world.ts";

const BURN: Address = "0x000000000000000000000000000000000000dEaD";

describe("KeeperBonds", () => {
  let world: SelectionWorld;
  /** The same contract with an account in the place of the assignment contract. */
  let bonds: ContractRef<SelectionWorld["keeperBonds"]["abi"]>;
  let assignment: Address;
  let keeper: Address;

  before(async () => {
    world = await createSelectionWorld();
    assignment = world.accountAt(12);
    keeper = world.accountAt(13);
    const args = [world.ngpu.address, BOND, seconds.challenge, seconds.keeperExit];
    bonds = await world.deploy("KeeperBonds", world.keeperBonds.abi, args);
    await world.send(world.actors.deployer, bonds, "fixAssignment", [assignment]);
    for (const account of [keeper, world.actors.stranger]) {
      await world.send(world.actors.deployer, world.ngpu, "transfer", [account, 1_000n * NGPU_WEI]);
      await world.send(account, world.ngpu, "approve", [bonds.address, 2n ** 256n - 1n]);
    }
    await world.remember();
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  const record = (keeperId = 1) =>
    world.publicClient.readContract({ ...bonds, functionName: "keeper", args: [keeperId] });
  const creditOf = (account: Address) =>
    world.publicClient.readContract({ ...bonds, functionName: "creditOf", args: [account] });
  const lockedOf = () => world.publicClient.readContract({ ...bonds, functionName: "lockedOf", args: [1] });
  const bondedId = () => world.publicClient.readContract({ ...bonds, functionName: "bondedIdOf", args: [keeper] });
  const bond = (amountWei: bigint) => world.send(keeper, bonds, "bond", [amountWei]);
  const lock = (amountWei: bigint, at?: number) =>
    world.send(assignment, bonds, "lock", [keeper, amountWei], at === undefined ? {} : { at });
  const beginExit = (amountWei: bigint) => world.send(keeper, bonds, "beginExit", [amountWei]);
  const withdraw = (at?: number) =>
    world.send(world.actors.stranger, bonds, "withdraw", [1], at === undefined ? {} : { at });
  const slash = (amountWei: bigint, to = world.actors.stranger) =>
    world.send(assignment, bonds, "slash", [keeper, amountWei, to]);

  describe("behaviour", () => {
    it("makes whoever bonds the minimum a keeper, with one id for good", async () => {
      const receipt = await bond(BOND);
      expect(eventsOf(receipt, bonds, "KeeperBonded")).to.deep.equal([
        { keeperId: 1, account: keeper, amountWei: BOND, bondWei: BOND },
      ]);
      await bond(1n);
      expect(await record()).to.deep.equal({ account: keeper, bondWei: BOND + 1n, exitingWei: 0n, unlockAt: 0 });
      expect(await bondedId()).to.equal(1);
    });

    it("INV-8: a bond leaves by time alone, whoever calls, to its keeper", async () => {
      await bond(BOND);
      await lock(BOND);
      const receipt = await beginExit(BOND);
      const unlockAt = (await world.now()) + seconds.keeperExit;
      expect(eventsOf(receipt, bonds, "KeeperExitBegun")).to.deep.equal([{ keeperId: 1, exitingWei: BOND, unlockAt }]);
      expect(await bondedId()).to.equal(0);
      expect(await revertOf(withdraw(unlockAt - 1))).to.deep.equal({ name: "BondNotUnlocked", args: [1, unlockAt] });
      const before = await world.balanceOf(keeper);
      await withdraw(unlockAt);
      expect((await world.balanceOf(keeper)) - before).to.equal(BOND);
      expect(await codeOf(withdraw())).to.equal("BondNotUnlocked");
    });

    it("locks what posts stand for during one to two periods, with no transaction to unlock it", async () => {
      await bond(2n * BOND);
      const period = seconds.challenge;
      const start = (Math.floor((await world.now()) / period) + 2) * period;
      await lock(BOND, start + period - 1);
      expect(await lockedOf()).to.equal(BOND);
      await lock(BOND, start + period);
      expect(await lockedOf()).to.equal(2n * BOND);
      expect(await revertOf(lock(1n))).to.deep.equal({ name: "BondShort", args: [keeper, 0n, 1n] });
      await world.increaseTo(start + 2 * period - 1);
      expect(await lockedOf(), "the first is in the period before").to.equal(2n * BOND);
      await world.increaseTo(start + 2 * period);
      expect(await lockedOf()).to.equal(BOND);
      await world.increaseTo(start + 3 * period);
      expect(await lockedOf()).to.equal(0n);
      await lock(2n * BOND);
    });

    it("burns half of what it takes and credits the other half, which anyone may send on", async () => {
      await bond(BOND);
      const burned = await world.balanceOf(BURN);
      const receipt = await slash(11n);
      expect(eventsOf(receipt, bonds, "KeeperSlashed")).to.deep.equal([
        { keeperId: 1, beneficiary: world.actors.stranger, slashedWei: 11n, bondWei: BOND - 11n },
      ]);
      expect((await world.balanceOf(BURN)) - burned).to.equal(6n);
      expect(await creditOf(world.actors.stranger)).to.equal(5n);
      const before = await world.balanceOf(world.actors.stranger);
      await world.send(keeper, bonds, "withdrawCredit", [world.actors.stranger]);
      expect((await world.balanceOf(world.actors.stranger)) - before).to.equal(5n);
      expect(await bondedId(), "below the minimum it is no keeper").to.equal(0);
    });

    it("bug class 2: takes what is there, leaving part included, and never reverts for lack", async () => {
      await bond(BOND);
      await beginExit(BOND - 5n);
      await slash(10n);
      expect(await record()).to.deep.include({ bondWei: BOND - 10n, exitingWei: BOND - 10n });
      await slash(2n ** 96n - 1n);
      expect(await record()).to.deep.include({ bondWei: 0n, exitingWei: 0n });
      const empty = await slash(1n);
      expect(eventsOf(empty, bonds, "KeeperSlashed")[0]).to.deep.include({ slashedWei: 0n });
      expect(await codeOf(withdraw((await world.now()) + 2 * seconds.keeperExit))).to.equal("BondNotUnlocked");
      await bond(BOND);
      expect(await bondedId()).to.equal(1);
    });

    it("self-slash: a keeper that takes its own bond still loses half", async () => {
      await bond(BOND);
      await slash(BOND, keeper);
      expect(await creditOf(keeper)).to.equal(BOND / 2n);
    });

    it("takes a wrong challenger's bond out of its allowance", async () => {
      const { stranger } = world.actors;
      const before = await world.balanceOf(stranger);
      await world.send(assignment, bonds, "takeFrom", [stranger, 10n, keeper]);
      expect(before - (await world.balanceOf(stranger))).to.equal(10n);
      expect(await creditOf(keeper)).to.equal(5n);
    });
  });

  describe("error", () => {
    it("refuses dust: a first bond below the minimum, an exit of nothing, more than is there", async () => {
      expect(await revertOf(bond(BOND - 1n))).to.deep.equal({ name: "BondBelowMinimum", args: [BOND - 1n, BOND] });
      expect(await codeOf(bond(0n))).to.equal("BondZeroAmount");
      expect(await codeOf(beginExit(1n))).to.equal("BondNotKeeper");
      await bond(BOND);
      expect(await codeOf(beginExit(0n))).to.equal("BondZeroAmount");
      expect(await revertOf(beginExit(BOND + 1n))).to.deep.equal({
        name: "BondShort",
        args: [keeper, BOND, BOND + 1n],
      });
      expect(await codeOf(world.send(keeper, bonds, "withdrawCredit", [keeper]))).to.equal("BondNoCredit");
    });

    it("lets nobody but the assignment contract lock or take, and no role name it again", async () => {
      await bond(BOND);
      const { deployer, stranger } = world.actors;
      for (const from of [deployer, stranger, keeper]) {
        expect(await codeOf(world.send(from, bonds, "lock", [keeper, 1n]))).to.equal("BondNotAssignment");
        expect(await codeOf(world.send(from, bonds, "slash", [keeper, 1n, from]))).to.equal("BondNotAssignment");
        expect(await codeOf(world.send(from, bonds, "takeFrom", [keeper, 1n, from]))).to.equal("BondNotAssignment");
        expect(await codeOf(world.send(from, bonds, "fixAssignment", [from]))).to.equal("BondAssignmentIsFixed");
      }
      expect(await codeOf(lock(BOND + 1n))).to.equal("BondShort");
      expect(await codeOf(world.send(assignment, bonds, "lock", [stranger, 1n]))).to.equal("BondNotKeeper");
    });

    it("refuses parameters that would let a bond leave before a post can be challenged", async () => {
      const args = [world.ngpu.address, BOND, seconds.challenge, seconds.keeperExit] as const;
      const wrong = [
        args.with(0, zeroAddress),
        args.with(1, 99n),
        args.with(2, 0),
        args.with(3, 2 * seconds.challenge - 1),
        args.with(3, 28 * 24 * 3_600 + 1),
      ];
      for (const each of wrong) {
        expect(await codeOf(world.deploy("KeeperBonds", bonds.abi, each))).to.equal("BondParameterInvalid");
      }
    });

    it("refuses a token that keeps a fee, and a token that calls back", async () => {
      const { deployer } = world.actors;
      for (const [name, code] of [
        ["FeeToken", "BondTokenShort"],
        ["ReentrantToken", "ReentrancyGuardReentrantCall"],
      ] as const) {
        const token = await world.deploy(name, world.ngpu.abi, [deployer, 10n ** 24n], deployer);
        const other = await world.deploy("KeeperBonds", bonds.abi, [
          token.address,
          BOND,
          seconds.challenge,
          seconds.keeperExit,
        ]);
        await world.send(deployer, token, "approve", [other.address, 10n ** 24n]);
        if (name === "ReentrantToken") await arm(token.address, other.address);
        expect(await codeOf(world.send(deployer, other, "bond", [BOND])), name).to.equal(code);
      }
    });
  });

  it("INV-1: its tokens cover bonds and credits after every act of a random history", async () => {
    const random = createRandom(seedFor("keeper bonds"));
    const accounts = [keeper, world.actors.stranger];
    const acts = [
      () => world.send(random.pick(accounts), bonds, "bond", [BigInt(random.below(200)) * NGPU_WEI]),
      () => world.send(random.pick(accounts), bonds, "beginExit", [BigInt(random.below(90)) * NGPU_WEI]),
      () => world.send(random.pick(accounts), bonds, "withdraw", [1 + random.below(2)]),
      () => world.send(random.pick(accounts), bonds, "withdrawCredit", [random.pick(accounts)]),
      () => world.send(assignment, bonds, "lock", [random.pick(accounts), BigInt(random.below(90)) * NGPU_WEI]),
      () => world.send(assignment, bonds, "slash", [random.pick(accounts), random.uint(64), random.pick(accounts)]),
      () => world.send(assignment, bonds, "takeFrom", [random.pick(accounts), random.uint(64), random.pick(accounts)]),
      () => world.increase(1 + random.below(400)),
    ];
    let done = 0;
    for (let step = 0; step < 120; step++) {
      await random
        .pick(acts)()
        .then(() => done++, (error: unknown) => codeOf(Promise.reject(error)));
      const records = [await record(1), await record(2)];
      for (const { exitingWei, bondWei } of records) {
        expect(exitingWei <= bondWei, `exiting ≤ bond, step ${step}`).to.equal(true);
      }
      const owed = [...records.map(({ bondWei }) => bondWei), ...(await Promise.all(accounts.map(creditOf)))];
      const total = owed.reduce((sum, each) => sum + each, 0n);
      expect(await world.balanceOf(bonds.address), `step ${step}`).to.equal(total);
    }
    expect(done).to.be.greaterThan(20);
  });

  async function arm(token: Address, target: Address) {
    const abi = parseAbi(["function arm(address target, bytes call_)"]);
    const again = encodeFunctionData({ abi: bonds.abi, functionName: "withdrawCredit", args: [target] });
    await world.send(world.actors.deployer, { abi, address: token }, "arm", [target, again]);
  }
});

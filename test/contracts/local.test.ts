/** What exists on the local chain only (tokens, feed, faucet), and how Ignition leaves the whole deployment. */
import { after, before, beforeEach, describe, it } from "node:test";
import { deployments } from "@ngpu/protocol/generated/deployments";
import { expect } from "chai";
import hre from "hardhat";
import type { Abi, Address, Hex } from "viem";
import { eventsOf } from "./support/chain.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import { createWorld, NGPU_WEI, USD6, type World } from "./support/world.ts";

describe("Local chain", () => {
  let world: World;
  before(async () => {
    world = await createWorld();
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  const drip = (account: Address, at?: number) =>
    world.send(world.actors.stranger, world.faucet, "drip", [account], at === undefined ? {} : { at });

  describe("deployment", () => {
    it("puts every contract where the generated deployments say", async () => {
      const addresses: Record<string, Address> = {
        nodeRegistry: world.registry.address,
        stakeVault: world.stakeVault.address,
        paymentVault: world.paymentVault.address,
        taskEscrow: world.escrow.address,
        priceOracle: world.oracle.address,
        ngpuToken: world.ngpu.address,
        localUsd: world.usd.address,
        localPriceFeed: world.feed.address,
        faucet: world.faucet.address,
        accessManager: world.accessManager.address,
        sessionSettlement: world.settlement.address,
        scoreBoard: world.scoreBoard.address,
        selection: world.selection.address,
        assignment: world.assignment.address,
        keeperBonds: world.keeperBonds.address,
        localSeedSource: world.seedSource.address,
        availability: world.availability.address,
        disputes: world.disputes.address,
        keeperCommittee: world.committee.address,
        roleGuard: world.roleGuard.address,
      };
      const { deploymentBlock, ...stated } = deployments[31337];
      expect(stated).to.deep.equal(addresses);
      const block = await world.publicClient.getBlock({ blockNumber: BigInt(deploymentBlock - 1) });
      expect(block.transactions).to.deep.equal([]);
    });

    it("makes account 1 a keeper and the deployer the policy maker, and wires the contracts together", async () => {
      const { publicClient, accessManager, actors } = world;
      const hasRole = (role: bigint, account: Address) =>
        publicClient.readContract({ ...accessManager, functionName: "hasRole", args: [role, account] });
      const keeperRole = await publicClient.readContract({ ...world.escrow, functionName: "KEEPER_ROLE" });
      expect(await hasRole(keeperRole, actors.keeper)).to.deep.equal([true, 0]);
      expect(await hasRole(keeperRole, actors.deployer)).to.deep.equal([false, 0]);
      expect(await hasRole(2n, actors.deployer)).to.deep.equal([true, 0]);
      const rail = { ...world.paymentVault, functionName: "isRail", args: [world.escrow.address] } as const;
      expect(await publicClient.readContract(rail)).to.equal(true);
      expect(await publicClient.readContract({ ...world.registry, functionName: "stakeVault" })).to.equal(
        world.stakeVault.address,
      );
      expect(await publicClient.readContract({ ...world.stakeVault, functionName: "thawPeriod" })).to.equal(300);
    });

    it("lets availability and disputes slash, and only the appeal role take a fault back or arbitrate", async () => {
      const { publicClient, accessManager, actors, availability, disputes } = world;
      const hasRole = (role: bigint, account: Address) =>
        publicClient.readContract({ ...accessManager, functionName: "hasRole", args: [role, account] });
      for (const slasher of [availability, disputes]) expect((await hasRole(3n, slasher.address))[0]).to.equal(true);
      expect((await hasRole(4n, availability.address))[0]).to.equal(true);
      expect((await hasRole(4n, disputes.address))[0]).to.equal(false);
      expect((await hasRole(3n, actors.deployer))[0]).to.equal(false);
      const act = world.send(actors.keeper, availability, "overturn", [`0x${"11".repeat(32)}`]);
      expect(await codeOf(act)).to.equal("AccessManagedUnauthorized");
      const byAppeal = world.send(actors.deployer, availability, "overturn", [`0x${"11".repeat(32)}`]);
      expect(await codeOf(byAppeal)).to.equal("AvailabilityNotAppealable");
      expect(await publicClient.readContract({ ...disputes, functionName: "longestSeconds" })).to.be.at.most(300);
    });

    it("has the three node classes", async () => {
      const classes = [
        [0, 1_000, 100n],
        [1, 4_000, 400n],
        [2, 16_000, 1_600n],
      ] as const;
      for (const [classId, minimumPowerCu, ngpu] of classes) {
        const read = { ...world.registry, functionName: "nodeClass", args: [classId] } as const;
        expect(await world.publicClient.readContract(read)).to.deep.equal({
          minimumPowerCu,
          minimumStakeWei: ngpu * NGPU_WEI,
          enabled: true,
        });
      }
    });
  });

  describe("Faucet", () => {
    it("gives any account both tokens, and again only after the cooldown", async () => {
      const account = world.accountAt(10);
      const at = (await world.now()) + 10;
      const receipt = await drip(account, at);
      expect(eventsOf(receipt, world.faucet, "Dripped")).to.deep.equal([
        { account, amountUsd6: 1_000n * USD6, amountWei: 2_000n * NGPU_WEI },
      ]);
      expect(await revertOf(drip(account, at + 59))).to.deep.equal({
        name: "FaucetCoolingDown",
        args: [account, BigInt(at + 60)],
      });
      await drip(world.accountAt(11));
      await drip(account, at + 61);
      const usd = await world.publicClient.readContract({ ...world.usd, functionName: "balanceOf", args: [account] });
      const ngpu = await world.publicClient.readContract({ ...world.ngpu, functionName: "balanceOf", args: [account] });
      expect([usd, ngpu]).to.deep.equal([2_000n * USD6, 4_000n * NGPU_WEI]);
    });
  });

  describe("LocalPriceFeed", () => {
    it("dates an answer with the block that brought it, and keeps every round", async () => {
      const at = (await world.now()) + 10;
      await world.send(world.actors.deployer, world.feed, "push", [70_000_000n], { at });
      const latest = await world.publicClient.readContract({ ...world.feed, functionName: "latestRoundData" });
      expect(latest).to.deep.equal([2n, 70_000_000n, BigInt(at), BigInt(at), 2n]);
      const round = (id: bigint) =>
        world.publicClient.readContract({ ...world.feed, functionName: "getRoundData", args: [id] });
      expect((await round(1n))[1]).to.equal(50_000_000n);
      expect(await codeOf(round(3n))).to.equal("NoSuchRound");
    });

    it("takes answers from its owner alone", async () => {
      const act = world.send(world.actors.stranger, world.feed, "push", [1n]);
      expect(await codeOf(act)).to.equal("OwnableUnauthorizedAccount");
    });
  });

  it("cannot be deployed to any other chain", async () => {
    const elsewhere = await hre.network.create({ network: "default", override: { chainId: 1 } });
    try {
      const [wallet] = await elsewhere.viem.getWalletClients();
      if (wallet === undefined) throw new Error("the chain has no accounts");
      const holder = wallet.account.address;
      const local = [
        ["LocalUsd", [holder, 1n]],
        ["LocalPriceFeed", [holder, 1n]],
        ["Faucet", [holder, 1n, holder, 1n, 60n]],
        ["LocalSeedSource", []],
      ] as const;
      for (const [name, args] of local) {
        const { abi, bytecode } = await hre.artifacts.readArtifact(name);
        const act = wallet.deployContract({ abi: abi as Abi, bytecode: bytecode as Hex, args, gas: 5_000_000n });
        expect(await revertOf(act), name).to.deep.equal({ name: "LocalChainOnly", args: [1n] });
      }
    } finally {
      await elsewhere.close();
    }
  });
});

/** Where seeds come from: Chainlink VRF against its own coordinator's mock, and the weak source of the local chain. */
import { after, before, beforeEach, describe, it } from "node:test";
import { vrfSeedSourceAbi } from "@ngpu/protocol/generated/abi/vrfSeedSource";
import { expect } from "chai";
import { encodeAbiParameters, keccak256, parseAbi, zeroAddress, zeroHash, type Address } from "viem";
import { eventsOf, type ContractRef } from "./support/chain.ts";
import { codeOf } from "./support/revert.ts";
import { createSelectionWorld, phase, seconds, type SelectionWorld } from "./support/selection.ts";
import { hashOf } from "./support/tasks.ts";

const coordinatorAbi = parseAbi([
  "function createSubscription() returns (uint256)",
  "function getActiveSubscriptionIds(uint256 start, uint256 max) view returns (uint256[])",
  "function fundSubscription(uint256 subId, uint256 amount)",
  "function addConsumer(uint256 subId, address consumer)",
  "function removeConsumer(uint256 subId, address consumer)",
  "function fulfillRandomWordsWithOverride(uint256 requestId, address consumer, uint256[] words)",
  "event RandomWordsFulfilled(uint256 indexed i, uint256 a, uint256 indexed b, uint96 c, bool d, bool success, bool e)",
]);
const consumerAbi = parseAbi([
  "function rawFulfillRandomWords(uint256 requestId, uint256[] randomWords)",
  "error OnlyCoordinatorCanFulfill(address have, address want)",
]);

describe("Seed sources", () => {
  let world: SelectionWorld;
  let coordinator: ContractRef<typeof coordinatorAbi>;
  let source: ContractRef<typeof vrfSeedSourceAbi>;
  let subscription: bigint;
  const requester = () => world.accountAt(12);

  before(async () => {
    world = await createSelectionWorld();
    const { deployer } = world.actors;
    coordinator = await world.deploy("VRFCoordinatorV2_5Mock", coordinatorAbi, [1n, 1n, 10n ** 15n]);
    await world.send(deployer, coordinator, "createSubscription", []);
    [subscription = 0n] = await world.publicClient.readContract({
      ...coordinator,
      functionName: "getActiveSubscriptionIds",
      args: [0n, 1n],
    });
    await world.send(deployer, coordinator, "fundSubscription", [subscription, 10n ** 24n]);
    source = await deploySource();
    await world.send(deployer, coordinator, "addConsumer", [subscription, source.address]);
    await world.remember();
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  function deploySource() {
    const options = {
      keyHash: hashOf("lane"),
      subscriptionId: subscription,
      requestConfirmations: 3,
      callbackGasLimit: 100_000,
      nativePayment: false,
    };
    return world.deploy("VrfSeedSource", vrfSeedSourceAbi, [coordinator.address, options]);
  }
  const fix = (to: Address = requester(), from = world.actors.deployer) =>
    world.send(from, source, "fixRequester", [to]);
  const request = () => world.send(requester(), source, "request", []);
  const seedOf = (requestId: bigint) =>
    world.publicClient.readContract({ ...source, functionName: "seedOf", args: [requestId] });
  const answer = (requestId: bigint, words: bigint[]) =>
    world.send(world.actors.stranger, coordinator, "fulfillRandomWordsWithOverride", [
      requestId,
      source.address,
      words,
    ]);
  const seedFrom = (requestId: bigint, word: bigint) =>
    keccak256(encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [requestId, word]));

  describe("VrfSeedSource", () => {
    it("matches answers by request id, in whatever order they come", async () => {
      await fix();
      await request();
      await request();
      await answer(2n, [22n]);
      expect([await seedOf(1n), await seedOf(2n)]).to.deep.equal([zeroHash, seedFrom(2n, 22n)]);
      const receipt = await answer(1n, [11n]);
      expect(eventsOf(receipt, source, "SeedAnswered")).to.deep.equal([{ requestId: 1n, seed: seedFrom(1n, 11n) }]);
      expect(eventsOf(receipt, coordinator, "RandomWordsFulfilled")[0]?.success).to.equal(true);
      expect([await seedOf(1n), await seedOf(2n)]).to.deep.equal([seedFrom(1n, 11n), seedFrom(2n, 22n)]);
    });

    it("never reverts on an answer, keeps the first, and knows none that was not asked for", async () => {
      await fix();
      await request();
      const { impersonateAccount, setBalance } = world.connection.networkHelpers;
      await impersonateAccount(coordinator.address);
      await setBalance(coordinator.address, 10n ** 18n);
      const consumer = { abi: consumerAbi, address: source.address };
      const fulfil = (requestId: bigint, words: bigint[]) =>
        world.send(coordinator.address, consumer, "rawFulfillRandomWords", [requestId, words]);
      await fulfil(1n, []);
      expect(await seedOf(1n)).to.equal(zeroHash);
      const first = await fulfil(1n, [5n]);
      await fulfil(1n, [6n]);
      expect(await seedOf(1n)).to.equal(seedFrom(1n, 5n));
      await fulfil(77n, [5n]);
      expect([await seedOf(77n), await seedOf(0n)]).to.deep.equal([zeroHash, zeroHash]);
      console.log(`answer of the coordinator: ${first.gasUsed} gas with its transaction`);
      const byStranger = world.send(world.actors.stranger, consumer, "rawFulfillRandomWords", [1n, [7n]]);
      expect(await byStranger.then(() => "taken", () => "refused")).to.equal("refused");
    });

    it("is asked by the one contract that its deployer named once", async () => {
      expect(await codeOf(request())).to.equal("SeedNotRequester");
      expect(await codeOf(fix(requester(), world.actors.stranger))).to.equal("SeedRequesterIsFixed");
      expect(await codeOf(fix(zeroAddress))).to.equal("SeedRequesterIsFixed");
      await fix();
      expect(await codeOf(fix())).to.equal("SeedRequesterIsFixed");
      expect(await codeOf(world.send(world.actors.deployer, source, "request", []))).to.equal("SeedNotRequester");
    });
  });

  describe("Selection on VRF", () => {
    let selection: ContractRef<SelectionWorld["selection"]["abi"]>;

    beforeEach(async () => {
      const { registry, stakeVault, scoreBoard, keeperBonds } = world;
      const parts = [registry, stakeVault, scoreBoard, keeperBonds, source].map(({ address }) => address);
      const lengths = { openS: 300, updateS: 30, seedTimeoutS: 60, challengeS: 60 };
      selection = await world.deploy("Selection", world.selection.abi, [...parts, 10n ** 22n, lengths]);
      await fix(selection.address);
    });
    const advance = () => world.send(world.actors.stranger, selection, "advance", []);
    const phaseNow = () => world.publicClient.readContract({ ...selection, functionName: "phase" });
    const seedNow = () => world.publicClient.readContract({ ...selection, functionName: "seed" });

    it("opens an epoch with the answer", async () => {
      await world.increase(seconds.update);
      await advance();
      expect(await codeOf(advance())).to.equal("SelectionPhaseNotOver");
      await answer(1n, [99n]);
      await advance();
      expect([await phaseNow(), await seedNow()]).to.deep.equal([phase.open, seedFrom(1n, 99n)]);
    });

    it("asks once an epoch: a late answer opens its draws after all, and is not that of the next", async () => {
      await world.increase(seconds.update);
      await advance();
      await world.increase(seconds.seedTimeout);
      await advance();
      expect([await phaseNow(), await seedNow()]).to.deep.equal([phase.open, zeroHash]);
      expect(await codeOf(advance())).to.equal("SelectionPhaseNotOver");
      await answer(1n, [7n]);
      const late = await advance();
      expect(eventsOf(late, selection, "EpochSeeded")).to.deep.equal([{ epoch: 1, seed: seedFrom(1n, 7n) }]);
      await world.increase(seconds.open);
      await advance();
      await world.increase(seconds.update);
      await advance();
      expect(await codeOf(advance()), "the former answer is none now").to.equal("SelectionPhaseNotOver");
      await answer(2n, [8n]);
      await advance();
      expect(await seedNow()).to.equal(seedFrom(2n, 8n));
    });

    it("INV-8: goes on without a seed when the source refuses every request", async () => {
      await world.send(world.actors.deployer, coordinator, "removeConsumer", [subscription, source.address]);
      await world.increase(seconds.update);
      expect(await advance().then(() => "taken", () => "refused")).to.equal("refused");
      expect(await phaseNow()).to.equal(phase.update);
      const openWithoutSeed = () => world.send(world.actors.stranger, selection, "openWithoutSeed", []);
      expect(await codeOf(openWithoutSeed())).to.equal("SelectionPhaseNotOver");
      await world.increase(seconds.seedTimeout);
      const opened = await openWithoutSeed();
      expect(eventsOf(opened, selection, "EpochOpened")).to.deep.equal([{ epoch: 1, seed: zeroHash }]);
      expect(await codeOf(openWithoutSeed())).to.equal("SelectionNotUpdating");
    });

    it("refuses parts that are missing and times that leave no room to challenge", async () => {
      const { registry, stakeVault, scoreBoard, keeperBonds } = world;
      const lengths = { openS: 300, updateS: 30, seedTimeoutS: 60, challengeS: 60 };
      const parts = [registry, stakeVault, scoreBoard, keeperBonds, source].map(({ address }) => address);
      const args: unknown[] = [...parts, 10n ** 22n, lengths];
      const wrong = [
        ...parts.map((_, index) => args.with(index, zeroAddress)),
        args.with(5, 0n),
        ...[
          { openS: 60 },
          { openS: 8 * 86_400 },
          { updateS: 0 },
          { updateS: 86_401 },
          { seedTimeoutS: 0 },
          { seedTimeoutS: 86_401 },
          { challengeS: 0 },
          { challengeS: 300 },
        ].map((change) => args.with(6, { ...lengths, ...change })),
      ];
      for (const [index, each] of wrong.entries()) {
        const act = world.deploy("Selection", world.selection.abi, each);
        // A part that is no contract at all cannot say its exit delay; the others are refused by name.
        if (index === 3) expect(await act.then(() => "taken", () => "refused")).to.equal("refused");
        else expect(await codeOf(act), `${index}`).to.equal("SelectionParameterInvalid");
      }
    });
  });

  describe("LocalSeedSource", () => {
    it("answers with the block after the request, the same for 256 blocks, and then no more", async () => {
      const local = await world.deploy("LocalSeedSource", world.seedSource.abi, []);
      await world.send(world.actors.deployer, local, "fixRequester", [requester()]);
      await world.send(requester(), local, "request", []);
      const read = (requestId: bigint) =>
        world.publicClient.readContract({ ...local, functionName: "seedOf", args: [requestId] });
      expect(await read(1n)).to.equal(zeroHash);
      await world.connection.networkHelpers.mine(2);
      const seed = await read(1n);
      expect(seed).to.not.equal(zeroHash);
      await world.connection.networkHelpers.mine(200);
      expect([await read(1n), await read(2n), await read(0n)]).to.deep.equal([seed, zeroHash, zeroHash]);
      await world.connection.networkHelpers.mine(100);
      expect(await read(1n)).to.equal(zeroHash);
    });
  });
});

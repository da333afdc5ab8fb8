/** The frozen quote: contracts/PriceOracle.sol. A bad feed stops quotes and nothing else. */
import { after, before, beforeEach, describe, it } from "node:test";
import { expect } from "chai";
import { parseAbi, zeroAddress, type Address } from "viem";
import { eventsOf, type ContractRef } from "./support/chain.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import { aPost, anAssignedTask, hashOf, settleTask } from "./support/tasks.ts";
import { noPermit } from "./support/permit.ts";
import { createWorld, type World } from "./support/world.ts";

const feedAbi = parseAbi([
  "function script(uint80 roundId, int256 answer, uint256 updatedAt, uint80 answeredInRound)",
  "function takeDown()",
]);
const MAX_AGE_S = 3_600;
const MIN_ANSWER = 10_000n;
const MAX_ANSWER = 10n ** 12n;

describe("PriceOracle", () => {
  let world: World;
  let feed: ContractRef<typeof feedAbi>;
  let oracle: ContractRef<World["oracle"]["abi"]>;

  before(async () => {
    world = await createWorld();
    feed = await world.deploy("ScriptedFeed", feedAbi, [8]);
    oracle = await anOracle();
    await world.remember();
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  function anOracle(
    change: Partial<
      Record<"age" | "minAnswer" | "maxAnswer" | "minPrice" | "price" | "grace" | "lastGood", bigint>
    > = {},
    itsFeed: { readonly address: Address } = feed,
    sequencer: Address = zeroAddress,
  ) {
    const { age = BigInt(MAX_AGE_S), minAnswer = MIN_ANSWER, maxAnswer = MAX_ANSWER } = change;
    const { minPrice = 1_000n, price = 100_000n, grace = 600n, lastGood = 0n } = change;
    const bounds = [age, minAnswer, maxAnswer, minPrice, 10_000_000n, price];
    const args = [world.accessManager.address, itsFeed.address, ...bounds, sequencer, grace, lastGood];
    return world.deploy("PriceOracle", world.oracle.abi, args);
  }

  const quote = (of = oracle) => world.publicClient.readContract({ ...of, functionName: "quote" });
  /** The feed answers `answer` in a proper round of now. Returns its time. */
  async function script({ answer = 50_000_000n, itsFeed = feed } = {}) {
    const updatedAt = await world.now();
    await world.send(world.actors.deployer, itsFeed, "script", [1n, answer, BigInt(updatedAt), 1n]);
    return updatedAt;
  }

  describe("behaviour", () => {
    it("quotes the price, and the stake worth one payment unit at half a dollar per NGPU", async () => {
      await script();
      expect(await quote()).to.deep.equal([100_000n, 2_000_000_000_000n]);
    });

    it("rounds the stake of a payment unit down, and follows the feed's decimals", async () => {
      await script({ answer: 300_000_000n });
      expect((await quote())[1]).to.equal(333_333_333_333n);
      const itsFeed = await world.deploy("ScriptedFeed", feedAbi, [18]);
      const wide = await anOracle({ minAnswer: 10n ** 15n, maxAnswer: 10n ** 20n }, itsFeed);
      await script({ answer: 5n * 10n ** 17n, itsFeed });
      expect(await quote(wide)).to.deep.equal([100_000n, 2_000_000_000_000n]);
    });

    it("takes an answer at its bounds and at its oldest", async () => {
      for (const answer of [MIN_ANSWER, MAX_ANSWER]) {
        await script({ answer });
        expect((await quote())[1]).to.equal(10n ** 20n / answer);
      }
      const updatedAt = await script();
      await world.increaseTo(updatedAt + MAX_AGE_S);
      await quote();
      await world.increaseTo(updatedAt + MAX_AGE_S + 1);
      expect(await codeOf(quote())).to.equal("FeedStale");
    });

    it("lets the policy role set the price within bounds that it cannot change", async () => {
      const { deployer, keeper } = world.actors;
      const receipt = await world.send(deployer, world.oracle, "setPrice", [250_000n]);
      expect(eventsOf(receipt, world.oracle, "PriceChanged")).to.deep.equal([{ priceUsd6PerGcums: 250_000n }]);
      expect((await quote(world.oracle))[0]).to.equal(250_000n);
      for (const price of [999n, 10_000_001n]) {
        expect(await revertOf(world.send(deployer, world.oracle, "setPrice", [price]))).to.deep.equal({
          name: "PriceOutOfBounds",
          args: [price, 1_000n, 10_000_000n],
        });
      }
      const byKeeper = world.send(keeper, world.oracle, "setPrice", [250_000n]);
      expect(await codeOf(byKeeper)).to.equal("AccessManagedUnauthorized");
    });

    it("stops posts while the feed is stale, but neither settlement nor the price itself", async () => {
      const { taskId } = await anAssignedTask(world, { deadline: (await world.now()) + 3_600 });
      await world.increase(MAX_AGE_S - 100);
      await world.increase(200);
      const post = await aPost(world, { clientNonce: hashOf("late") });
      const late = world.send(world.actors.payer, world.escrow, "post", [post, noPermit]);
      expect(await codeOf(late)).to.equal("FeedStale");
      await settleTask(world, taskId, world.nodes.alpha);
      const price = await world.publicClient.readContract({ ...world.oracle, functionName: "priceUsd6PerGcums" });
      expect(price).to.equal(100_000n);
      await world.send(world.actors.deployer, world.feed, "push", [50_000_000n]);
      await quote(world.oracle);
    });
  });

  describe("rollup", () => {
    /** The sequencer went up or down at `since`. */
    async function sequencerAt(sequencer: ContractRef<typeof feedAbi>, answer: bigint, since: number) {
      await world.send(world.actors.deployer, sequencer, "script", [1n, answer, BigInt(since), 1n]);
    }

    it("quotes only while the sequencer is up and has been for longer than the grace", async () => {
      const sequencer = await world.deploy("ScriptedFeed", feedAbi, [0]);
      const rollup = await anOracle({ grace: 600n }, feed, sequencer.address);
      const since = await script();
      for (const [answer, at] of [
        [1n, since - 10_000],
        [0n, since],
        [0n, 0],
        [0n, since + 10_000],
        [-1n, since - 10_000],
      ] as const) {
        await sequencerAt(sequencer, answer, at);
        expect(await revertOf(quote(rollup))).to.deep.equal({ name: "SequencerDown", args: [BigInt(at), 600n] });
      }
      await sequencerAt(sequencer, 0n, since);
      await world.increaseTo(since + 600);
      expect(await codeOf(quote(rollup)), "at the grace").to.equal("SequencerDown");
      await world.increaseTo(since + 601);
      expect(await quote(rollup)).to.deep.equal([100_000n, 2_000_000_000_000n]);
    });

    it("lets no noted rate stand in while the sequencer is down, and stops quotes when its feed is broken", async () => {
      const sequencer = await world.deploy("ScriptedFeed", feedAbi, [0]);
      const rollup = await anOracle({ grace: 0n, lastGood: 100_000n }, feed, sequencer.address);
      const since = await script();
      await sequencerAt(sequencer, 0n, since - 10);
      await world.send(world.actors.deployer, rollup, "refresh", []);
      await world.send(world.actors.deployer, feed, "takeDown", []);
      await quote(rollup);
      await sequencerAt(sequencer, 1n, since);
      expect(await codeOf(quote(rollup))).to.equal("SequencerDown");
      expect(await codeOf(world.send(world.actors.deployer, rollup, "refresh", []))).to.equal("SequencerDown");
    });
  });

  describe("last good rate", () => {
    const refresh = (of: typeof oracle) => world.send(world.actors.stranger, of, "refresh", []);
    const lastGood = (of: typeof oracle) => world.publicClient.readContract({ ...of, functionName: "lastGood" });

    it("stands in for a feed that is stale, absurd or dead, for as long as was fixed", async () => {
      const patient = await anOracle({ lastGood: 10_000n });
      const since = await script();
      const receipt = await refresh(patient);
      expect(eventsOf(receipt, patient, "RateNoted")).to.deep.equal([
        { stakeWeiPerUsd6: 2_000_000_000_000n, updatedAt: since },
      ]);
      expect(await lastGood(patient)).to.deep.equal([2_000_000_000_000n, since]);
      await script({ answer: 0n });
      expect(await quote(patient), "absurd").to.deep.equal([100_000n, 2_000_000_000_000n]);
      await world.send(world.actors.deployer, feed, "takeDown", []);
      expect(await quote(patient), "dead").to.deep.equal([100_000n, 2_000_000_000_000n]);
      await world.increaseTo(since + 10_000);
      await quote(patient);
      await world.increaseTo(since + 10_001);
      expect(await codeOf(quote(patient))).to.equal("FeedStale");
    });

    it("is never older than the feed's own time, and never replaced by an older one", async () => {
      const patient = await anOracle({ lastGood: 10_000n });
      const since = await script();
      await refresh(patient);
      await world.send(world.actors.deployer, feed, "script", [1n, 60_000_000n, BigInt(since - 100), 1n]);
      expect(eventsOf(await refresh(patient), patient, "RateNoted")).to.deep.equal([]);
      expect((await lastGood(patient))[0]).to.equal(2_000_000_000_000n);
      await world.send(world.actors.deployer, feed, "script", [1n, 0n, BigInt(since + 1), 1n]);
      expect(await codeOf(refresh(patient))).to.equal("FeedInvalid");
      await world.send(world.actors.deployer, feed, "takeDown", []);
      expect(await codeOf(refresh(patient))).to.equal("FeedStale");
    });

    it("gives way to the feed as soon as it answers again", async () => {
      const patient = await anOracle({ lastGood: 10_000n });
      await script();
      await refresh(patient);
      await script({ answer: 100_000_000n });
      expect(await quote(patient)).to.deep.equal([100_000n, 1_000_000_000_000n]);
    });

    it("cannot be forced on a quote by starving the feed of gas (63/64)", async () => {
      const guzzler = await world.deploy("GasGuzzlerFeed", feedAbi, []);
      const patient = await anOracle({ lastGood: 10_000n }, guzzler);
      await refresh(patient);
      const caller = await world.deploy(
        "QuoteCaller",
        parseAbi([
          "function quote(address oracle, uint256 gasLimit) view returns (uint64, uint64)",
          "error PriceGasTooLow()",
        ]),
        [],
      );
      const codes = new Set<string>();
      for (let gas = 20_000n; gas <= 400_000n; gas += 5_000n) {
        const args = [patient.address, gas] as const;
        const quoted = await world.publicClient
          .readContract({ ...caller, functionName: "quote", args })
          .then(() => "quoted")
          .catch((error: unknown) => codeOf(Promise.reject(error)).catch(() => "out of gas"));
        codes.add(quoted);
        if (quoted === "quoted") expect(gas > 210_000n, `with ${gas} gas only the noted rate can answer`).to.equal(true);
      }
      expect([...codes]).to.have.members(["PriceGasTooLow", "quoted"]);
    });
  });

  describe("error", () => {
    it("takes no answer that is not positive or not believable", async () => {
      for (const answer of [0n, -1n, MIN_ANSWER - 1n, MAX_ANSWER + 1n, 2n ** 255n - 1n, -(2n ** 255n)]) {
        await script({ answer });
        expect(await revertOf(quote())).to.deep.equal({ name: "FeedInvalid", args: [answer] });
      }
    });

    it("takes no round that is unfinished, unnumbered, undated or from the future", async () => {
      const { deployer } = world.actors;
      const now = BigInt(await world.now());
      const rounds = [
        [0n, now, 0n],
        [7n, now, 6n],
        [7n, 0n, 7n],
        [7n, now + 1_000n, 7n],
        [7n, now - BigInt(MAX_AGE_S) - 10n, 7n],
      ] as const;
      for (const [roundId, updatedAt, answeredInRound] of rounds) {
        await world.send(deployer, feed, "script", [roundId, 50_000_000n, updatedAt, answeredInRound]);
        expect(await revertOf(quote())).to.deep.equal({ name: "FeedStale", args: [updatedAt, BigInt(MAX_AGE_S)] });
      }
    });

    it("counts a feed that reverts as one that has not answered", async () => {
      await script();
      await world.send(world.actors.deployer, feed, "takeDown", []);
      expect(await revertOf(quote())).to.deep.equal({ name: "FeedStale", args: [0n, BigInt(MAX_AGE_S)] });
    });

    it("cannot be deployed with bounds under which a quote could fail", async () => {
      expect(await codeOf(anOracle({ minAnswer: 0n }))).to.equal("FeedInvalid");
      expect(await codeOf(anOracle({ maxAnswer: MIN_ANSWER - 1n }))).to.equal("FeedInvalid");
      expect(await codeOf(anOracle({ maxAnswer: 10n ** 21n }))).to.equal("FeedInvalid");
      expect(await codeOf(anOracle({ minAnswer: 1n }))).to.equal("SafeCastOverflowedUintDowncast");
      expect(await codeOf(anOracle({ age: 0n }))).to.equal("FeedStale");
      expect(await codeOf(anOracle({ minPrice: 0n }))).to.equal("PriceOutOfBounds");
      expect(await codeOf(anOracle({ price: 999n }))).to.equal("PriceOutOfBounds");
    });
  });
});

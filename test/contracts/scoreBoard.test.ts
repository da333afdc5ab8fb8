/** Measured power and quality of nodes: contracts/ScoreBoard.sol. */
import { after, before, beforeEach, describe, it } from "node:test";
import type { Signed } from "@ngpu/protocol/signed";
import { scoreStep } from "@ngpu/protocol/selection/scoreStep";
import type { ScoreTranscript } from "@ngpu/protocol/typedData";
import { taskStatus } from "@ngpu/protocol/taskStatus";
import { expect } from "chai";
import { zeroAddress, zeroHash, type Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { eventsOf } from "./support/chain.ts";
import { devKey } from "./support/devKey.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import { createSelectionWorld, seconds, type KeeperKeys, type SelectionWorld } from "./support/selection.ts";
import { anAssignedTask, hashOf, readTask, settleTask } from "./support/tasks.ts";
import { keyOf } from "./support/world.ts";

describe("ScoreBoard", () => {
  let world: SelectionWorld;
  let alpha: number;
  let gamma: number;
  before(async () => {
    world = await createSelectionWorld();
    await world.openEpoch();
    await world.remember();
    alpha = world.nodes.alpha.nodeId;
    gamma = world.nodes.gamma.nodeId;
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  const powerOf = (nodeId: number) =>
    world.publicClient.readContract({ ...world.registry, functionName: "powerOf", args: [nodeId] });
  const boardPowerOf = (nodeId: number) =>
    world.publicClient.readContract({ ...world.scoreBoard, functionName: "powerOf", args: [nodeId] });
  const keeperAt = (index: number): KeeperKeys => {
    const found = world.keepers[index];
    if (found === undefined) throw new RangeError("there are five keepers");
    return found;
  };
  async function submitSigned(signed: readonly Signed<"scoreTranscript">[]) {
    const args = submitArgs(signed.map(({ message }) => message), signed.map(({ signature }) => signature));
    return world.send(world.actors.stranger, world.scoreBoard, "submit", args);
  }
  function submitArgs(transcripts: ScoreTranscript[], signatures: Hex[]) {
    return [transcripts, signatures] as const;
  }

  describe("behaviour", () => {
    it("makes the median of three transcripts the node's power, whoever relays them", async () => {
      const receipt = await world.submitScores(alpha, [1_200, 900, 1_100]);
      const freshUntil = (await world.now()) + seconds.freshness;
      expect(eventsOf(receipt, world.scoreBoard, "ScoreUpdated")).to.deep.equal([
        { nodeId: alpha, epoch: 1, formerCu: 1_000, scoreCu: 1_100, medianCu: 1_100, transcripts: 3, freshUntil },
      ]);
      expect([await powerOf(alpha), await powerOf(gamma)]).to.deep.equal([1_100, 4_000]);
      const eligible = { ...world.registry, functionName: "eligiblePowerOf", args: [alpha] } as const;
      expect(await world.publicClient.readContract(eligible)).to.equal(1_100);
      const scoreOf = { ...world.scoreBoard, functionName: "scoreOf", args: [alpha] } as const;
      expect(await world.publicClient.readContract(scoreOf)).to.deep.include({
        scoreCu: 1_100,
        baseCu: 1_000,
        epoch: 1,
        transcripts: 3,
        belowClass: false,
        rated: false,
      });
      console.log(`submit of three transcripts: ${receipt.gasUsed} gas`);
    });

    it("moves a score by a quarter an epoch, up and down, and starts from the class's minimum", async () => {
      await world.submitScores(alpha, [8_000, 8_000, 8_000]);
      expect(await powerOf(alpha)).to.equal(1_250);
      await world.openEpoch();
      await world.submitScores(alpha, [8_000, 8_000, 8_000]);
      expect(await powerOf(alpha)).to.equal(1_562);
      await world.openEpoch();
      await world.submitScores(alpha, [1, 1, 1]);
      expect(await powerOf(alpha)).to.equal(scoreStep({ formerCu: 1_562, measuredCu: 1 }));
    });

    it("bug class 28: more keepers of the same epoch replace fewer, from the same base; as many do not", async () => {
      await world.submitScores(alpha, [1_250, 1_250, 1_250]);
      expect(await revertOf(world.submitScores(alpha, [1_000, 1_000, 1_000]))).to.deep.equal({
        name: "ScoreNotImproved",
        args: [alpha, 1, 3],
      });
      const receipt = await world.submitScores(alpha, [1_250, 1_250, 1_000, 900, 800]);
      const [event] = eventsOf(receipt, world.scoreBoard, "ScoreUpdated");
      expect(event).to.deep.include({ formerCu: 1_000, scoreCu: 1_000 });
      await world.submitScores(gamma, [4_500, 4_500, 4_500]);
      expect(await powerOf(gamma), "another node of the epoch is another matter").to.equal(4_500);
    });

    it("takes the lower middle of four", async () => {
      await world.submitScores(alpha, [1_200, 1_000, 1_100, 1_150]);
      expect(await powerOf(alpha)).to.equal(1_100);
    });

    it("lets a score lapse to the class's minimum, but not one that lies below it", async () => {
      await world.submitScores(alpha, [1_200, 1_200, 1_200]);
      await world.submitScores(gamma, [3_500, 3_500, 3_500]);
      const scored = await world.now();
      await world.increaseTo(scored + seconds.freshness - 2);
      expect([await powerOf(alpha), await powerOf(gamma)]).to.deep.equal([1_200, 3_500]);
      await world.increaseTo(scored + seconds.freshness);
      expect([await powerOf(alpha), await powerOf(gamma)]).to.deep.equal([1_000, 3_500]);
      expect([await boardPowerOf(alpha), await boardPowerOf(gamma)]).to.deep.equal([0, 3_500]);
    });

    it("bug class 29: a new score or class leaves the power that a task froze as it was", async () => {
      const { taskId } = await anAssignedTask(world);
      await world.submitScores(alpha, [1_250, 1_250, 1_250]);
      await settleTask(world, taskId, world.nodes.alpha, { change: { powerCu: 1_000 } });
      expect((await readTask(world, taskId)).status).to.equal(taskStatus.settled);
    });

    it("gives newcomers a quarter of quality until the role that judges audits sets another", async () => {
      const factors = () =>
        world.publicClient.readContract({ ...world.scoreBoard, functionName: "factorsOf", args: [alpha] });
      expect(await factors()).to.deep.equal([0, 2_500]);
      const cause = hashOf("audit");
      const { deployer } = world.actors;
      const receipt = await world.send(deployer, world.scoreBoard, "setQuality", [alpha, 0, cause]);
      expect(eventsOf(receipt, world.scoreBoard, "QualityChanged")).to.deep.equal([
        { nodeId: alpha, formerBps: 2_500, qualityBps: 0, cause },
      ]);
      expect(await factors()).to.deep.equal([0, 0]);
      await world.submitScores(alpha, [1_100, 1_100, 1_100]);
      expect(await factors()).to.deep.equal([1_100, 0]);
    });

    it("gives a node that nobody rated another quarter for each period of its age, and no more than full", async () => {
      const { registeredAt } = await world.publicClient.readContract({
        ...world.registry,
        functionName: "node",
        args: [alpha],
      });
      const quality = async () =>
        (
          await world.publicClient.readContract({ ...world.scoreBoard, functionName: "factorsOf", args: [alpha] })
        )[1];
      const seen: number[] = [];
      for (const age of [1, 2, 3, 4]) {
        await world.increaseTo(registeredAt + age * 86_400 - 1);
        seen.push(await quality());
        await world.increaseTo(registeredAt + age * 86_400);
        seen.push(await quality());
      }
      expect(seen).to.deep.equal([2_500, 5_000, 5_000, 7_500, 7_500, 10_000, 10_000, 10_000]);
    });
  });

  describe("error", () => {
    it("refuses two transcripts, six, and a signature too few", async () => {
      expect(await codeOf(world.submitScores(alpha, [1_000, 1_000]))).to.equal("ScoreTranscriptCount");
      const signed = await Promise.all([0, 1, 2, 3, 4, 0].map((i) => world.transcriptBy(keeperAt(i), alpha)));
      expect(await revertOf(submitSigned(signed))).to.deep.equal({
        name: "ScoreTranscriptCount",
        args: [6n, 6n, 3n, 5n],
      });
      const three = signed.slice(0, 3);
      const args = submitArgs(three.map(({ message }) => message), three.slice(1).map(({ signature }) => signature));
      expect(await codeOf(world.send(world.actors.stranger, world.scoreBoard, "submit", args))).to.equal(
        "ScoreTranscriptCount",
      );
    });

    it("refuses a transcript about another node, epoch or seed, and a power of zero", async () => {
      const good = await Promise.all([0, 1].map((i) => world.transcriptBy(keeperAt(i), alpha)));
      for (const change of [{ nodeId: gamma }, { epoch: 2n }, { seed: hashOf("easy") }]) {
        const bad = await world.transcriptBy(keeperAt(2), alpha, change);
        expect(await codeOf(submitSigned([...good, bad])), Object.keys(change)[0]).to.equal("ScoreTranscriptMismatch");
      }
      const zero = await world.transcriptBy(keeperAt(2), alpha, { scoreCu: 0 });
      expect(await codeOf(submitSigned([...good, zero]))).to.equal("ScoreZero");
    });

    it("refuses one keeper twice, a stranger, a malformed signature, and a keeper whose bond is leaving", async () => {
      const good = await Promise.all([0, 1, 2].map((i) => world.transcriptBy(keeperAt(i), alpha)));
      const [first, second, third] = good;
      if (first === undefined || second === undefined || third === undefined) throw new Error("three were signed");
      expect(await revertOf(submitSigned([first, second, first]))).to.deep.equal({
        name: "ScoreKeeperNotDrawn",
        args: [alpha, 2n, keeperAt(0).account.address],
      });
      const stranger = await world.transcriptBy({ keeperId: 9, account: keyOf("stranger") }, alpha);
      expect(await codeOf(submitSigned([first, second, stranger]))).to.equal("ScoreKeeperNotDrawn");
      expect(await codeOf(submitSigned([first, second, { ...third, signature: "0x00" }]))).to.equal(
        "ScoreKeeperNotDrawn",
      );
      await world.send(keeperAt(2).account.address, world.keeperBonds, "beginExit", [201n * 10n ** 18n]);
      expect(await codeOf(submitSigned(good))).to.equal("ScoreKeeperNotDrawn");
    });

    it("refuses a keeper that bonded after the snapshot: the seed has not drawn it", async () => {
      const late = privateKeyToAccount(devKey(12));
      await world.send(world.actors.deployer, world.ngpu, "transfer", [late.address, 10n ** 21n]);
      await world.send(late.address, world.ngpu, "approve", [world.keeperBonds.address, 10n ** 21n]);
      await world.send(late.address, world.keeperBonds, "bond", [10n ** 21n]);
      const drawn = await world.publicClient.readContract({
        ...world.scoreBoard,
        functionName: "keepersFor",
        args: [alpha],
      });
      expect([...drawn].sort()).to.deep.equal([1, 2, 3, 4, 5]);
      const signed = await Promise.all([0, 1].map((i) => world.transcriptBy(keeperAt(i), alpha)));
      signed.push(await world.transcriptBy({ keeperId: 6, account: late }, alpha));
      expect(await revertOf(submitSigned(signed))).to.deep.equal({
        name: "ScoreKeeperNotDrawn",
        args: [alpha, 2n, late.address],
      });
    });

    it("takes nothing between epochs, and no transcript of the last one", async () => {
      const signed = await Promise.all([0, 1, 2].map((i) => world.transcriptBy(keeperAt(i), alpha)));
      await world.toUpdate();
      expect(await codeOf(submitSigned(signed))).to.equal("SelectionNotDrawable");
      await world.openEpoch();
      expect(await codeOf(submitSigned(signed))).to.equal("ScoreTranscriptMismatch");
    });

    it("leaves quality to its role, up to full, of nodes that exist; and the selection is named once", async () => {
      const { deployer, stranger } = world.actors;
      const set = (from: Hex, nodeId: number, bps: number) =>
        world.send(from, world.scoreBoard, "setQuality", [nodeId, bps, zeroHash]);
      expect(await codeOf(set(stranger, alpha, 1))).to.equal("AccessManagedUnauthorized");
      expect(await codeOf(set(deployer, alpha, 10_001))).to.equal("ScoreQualityInvalid");
      expect(await codeOf(set(deployer, 99, 1))).to.equal("NodeUnknown");
      for (const from of [deployer, stranger]) {
        const again = world.send(from, world.scoreBoard, "fixSelection", [stranger]);
        expect(await codeOf(again)).to.equal("ScoreSelectionIsFixed");
      }
      const { accessManager, registry, keeperBonds, escrow, scoreBoard } = world;
      const parts = [accessManager.address, registry.address, keeperBonds.address, escrow.address, 1, 1];
      for (let i = 1; i < parts.length; i++) {
        const args = parts.with(i, i >= 4 ? 0 : zeroAddress);
        expect(await codeOf(world.deploy("ScoreBoard", scoreBoard.abi, args))).to.equal("ScoreZeroParameter");
      }
    });
  });
});

/** Phases, snapshot and draws: contracts/Selection.sol with real nodes, keepers and the local seed source. */
import { after, before, beforeEach, describe, it } from "node:test";
import { createWeightTree } from "@ngpu/protocol/selection/weightTree";
import { draw as drawHere } from "@ngpu/protocol/selection/draw";
import { expect } from "chai";
import { zeroAddress, zeroHash } from "viem";
import { eventsOf } from "./support/chain.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import {
  BOND,
  createSelectionWorld,
  KEEPER_POOL,
  MODEL,
  phase,
  seconds,
  type SelectionWorld,
} from "./support/selection.ts";
import { hashOf } from "./support/tasks.ts";
import { NGPU_WEI } from "./support/world.ts";

const SUBJECT = hashOf("subject");

describe("Selection", () => {
  let world: SelectionWorld;
  before(async () => {
    world = await createSelectionWorld();
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  const readEpoch = () => world.publicClient.readContract({ ...world.selection, functionName: "epoch" });
  const readSeed = () => world.publicClient.readContract({ ...world.selection, functionName: "seed" });
  const queueLength = () => world.publicClient.readContract({ ...world.selection, functionName: "queueLength" });
  const postableUntil = () => world.publicClient.readContract({ ...world.selection, functionName: "postableUntil" });

  describe("phases", () => {
    it("go round by time and anybody's call: Update, Seeding, Open, and again", async () => {
      expect(await world.phaseNow()).to.equal(phase.update);
      await world.refreshAll();
      await world.increase(seconds.update);
      const asked = await world.advance();
      expect(eventsOf(asked, world.selection, "SeedAwaited")).to.deep.equal([{ epoch: 1, requestId: 1n }]);
      expect(await world.phaseNow()).to.equal(phase.seeding);
      await world.connection.networkHelpers.mine(1);
      const opened = await world.advance();
      const [event] = eventsOf(opened, world.selection, "EpochOpened");
      expect(event?.epoch).to.equal(1);
      expect(event?.seed).to.equal(await readSeed());
      expect(event?.seed).to.not.equal(zeroHash);
      await world.increase(seconds.open);
      const updating = await world.advance();
      expect(eventsOf(updating, world.selection, "UpdateBegun")).to.deep.equal([{ epoch: 1 }]);
      expect([await world.phaseNow(), await readSeed(), await postableUntil()]).to.deep.equal([
        phase.update,
        zeroHash,
        0,
      ]);
    });

    it("do not end a second early", async () => {
      await world.openEpoch();
      await world.toUpdate();
      const updated = (await world.now()) + seconds.update;
      expect(await revertOf(world.advance({ at: updated - 1 }))).to.deep.equal({
        name: "SelectionPhaseNotOver",
        args: [phase.update, updated],
      });
      await world.advance({ at: updated });
      await world.connection.networkHelpers.mine(1);
      await world.advance();
      const opened = await world.now();
      expect(await revertOf(world.advance({ at: opened + seconds.open - 1 }))).to.deep.equal({
        name: "SelectionPhaseNotOver",
        args: [phase.open, opened + seconds.open],
      });
      await world.advance({ at: opened + seconds.open });
    });

    it("INV-8: an epoch whose seed never comes opens without one, and the one after is whole again", async () => {
      await world.refreshAll();
      await world.increase(seconds.update);
      await world.advance();
      // The local source forgets its block after 256 more: as a VRF that never answers.
      await world.connection.networkHelpers.mine(300, { interval: 0 });
      const asked = await world.now();
      expect(await codeOf(world.advance({ at: asked + 1 }))).to.equal("SelectionPhaseNotOver");
      await world.increase(seconds.seedTimeout);
      const opened = await world.advance();
      expect(eventsOf(opened, world.selection, "EpochOpened")).to.deep.equal([{ epoch: 1, seed: zeroHash }]);
      expect(await postableUntil()).to.equal(0);
      expect(await revertOf(world.draw(SUBJECT, 1))).to.deep.equal({
        name: "SelectionNotDrawable",
        args: [phase.open, 1],
      });
      await world.openEpoch();
      expect(await readEpoch()).to.equal(2);
      expect((await world.draw(SUBJECT, 3)).length).to.equal(3);
    });

    it("draw nothing while weights change or the seed is awaited", async () => {
      const code = () => codeOf(world.draw(SUBJECT, 1));
      expect(await code()).to.equal("SelectionNotDrawable");
      await world.increase(seconds.update);
      await world.advance();
      expect(await code()).to.equal("SelectionNotDrawable");
    });
  });

  describe("snapshot", () => {
    it("INV-11 and bug class 33: nothing that happens after the snapshot changes a draw of the epoch", async () => {
      await world.openEpoch();
      const subjects = Array.from({ length: 12 }, (_, i) => hashOf(`task ${i}`));
      const draws = () => Promise.all(subjects.map((subject) => world.draw(subject, 3)));
      const before = await draws();
      const { alpha, beta, gamma } = world.nodes;
      const { deployer, owner } = world.actors;
      await world.send(owner, world.stakeVault, "stake", [alpha.nodeId, 90_000n * NGPU_WEI]);
      await world.send(owner, world.stakeVault, "beginExit", [gamma.nodeId, 1_000n * NGPU_WEI]);
      await world.send(owner, world.registry, "setDraining", [beta.nodeId, true]);
      await world.send(owner, world.registry, "declareModel", [beta.nodeId, MODEL, false]);
      await world.send(deployer, world.scoreBoard, "setQuality", [alpha.nodeId, 10_000, zeroHash]);
      await world.submitScores(alpha.nodeId, [1_200, 1_200, 1_200]);
      await world.send(deployer, world.registry, "setNodeClass", [
        0,
        "cpu",
        { minimumPowerCu: 9_000, minimumStakeWei: 50n * NGPU_WEI, enabled: true },
      ]);
      for (const { nodeId } of [alpha, beta, gamma]) await world.refresh(MODEL, nodeId);
      const delta = await world.registerNode("delta", 0);
      await world.send(owner, world.stakeVault, "stake", [delta.nodeId, 10_000n * NGPU_WEI]);
      await world.send(owner, world.registry, "declareModel", [delta.nodeId, MODEL, true]);
      await world.refresh(MODEL, delta.nodeId);
      expect(await draws()).to.deep.equal(before);
      expect(await world.weightOf(MODEL, gamma.nodeId)).to.be.greaterThan(0);

      await world.toUpdate();
      await world.send(world.actors.stranger, world.selection, "applyQueued", [100n]);
      await world.openEpoch();
      const after = (await draws()).flat();
      expect(after).to.include(alpha.nodeId).and.to.include(delta.nodeId);
      expect(after).to.not.include(gamma.nodeId).and.to.not.include(beta.nodeId);
    });

    it("refuses to change a weight between the seed's request and the end of the epoch", async () => {
      await world.refreshAll();
      const { alpha } = world.nodes;
      const former = await world.weightOf(MODEL, alpha.nodeId);
      await world.increase(seconds.update);
      await world.advance();
      await world.send(world.actors.deployer, world.scoreBoard, "setQuality", [alpha.nodeId, 10_000, zeroHash]);
      const queued = await world.refresh(MODEL, alpha.nodeId);
      expect(eventsOf(queued, world.selection, "WeightQueued")).to.deep.equal([{ pool: MODEL, member: alpha.nodeId }]);
      const apply = world.send(world.actors.stranger, world.selection, "applyQueued", [1n]);
      expect(await codeOf(apply)).to.equal("SelectionNotUpdating");
      expect(await world.weightOf(MODEL, alpha.nodeId)).to.equal(former);
    });

    it("can be rebuilt from its events, and then draws the same in TypeScript", async () => {
      await world.openEpoch();
      const logs = await world.publicClient.getContractEvents({
        ...world.selection,
        eventName: "WeightChanged",
        fromBlock: 0n,
        strict: true,
      });
      const tree = createWeightTree();
      for (const { args } of logs.filter(({ args: { pool } }) => pool === MODEL)) {
        expect(tree.set(args.member, args.weight).position).to.equal(args.position);
      }
      const seed = await readSeed();
      expect(drawHere({ tree, seed, subject: SUBJECT, count: 3 })).to.deep.equal(await world.draw(SUBJECT, 3));
    });
  });

  describe("weights", () => {
    it("are stake × power × quality; a newcomer counts its class's minimum and a quarter of quality", async () => {
      const { alpha, gamma } = world.nodes;
      await world.refresh(MODEL, alpha.nodeId);
      await world.refresh(MODEL, gamma.nodeId);
      // 100 NGPU × 1 kCU ÷ 4, though 1,000 NGPU are staked; 400 NGPU × 4 kCU ÷ 4.
      expect(await world.weightOf(MODEL, alpha.nodeId)).to.equal(25);
      expect(await world.weightOf(MODEL, gamma.nodeId)).to.equal(400);
      const total = { ...world.selection, functionName: "totalWeightOf", args: [MODEL] } as const;
      expect(await world.publicClient.readContract(total)).to.equal(425);
    });

    it("count all of a measured node's stake, up to the cap of one node", async () => {
      await world.openEpoch();
      const { alpha } = world.nodes;
      await world.submitScores(alpha.nodeId, [1_000, 1_000, 1_000]);
      await world.send(world.actors.deployer, world.scoreBoard, "setQuality", [alpha.nodeId, 10_000, zeroHash]);
      const current = () =>
        world.publicClient.readContract({
          ...world.selection,
          functionName: "currentWeightOf",
          args: [MODEL, alpha.nodeId],
        });
      expect(await current()).to.equal(1_000);
      await world.send(world.actors.owner, world.stakeVault, "stake", [alpha.nodeId, 20_000n * NGPU_WEI]);
      expect(await current()).to.equal(10_000);
      await world.send(world.actors.deployer, world.scoreBoard, "setQuality", [alpha.nodeId, 0, zeroHash]);
      expect(await current()).to.equal(0);
    });

    it("are zero for a node that may not serve, or does not say that it serves the model", async () => {
      const { alpha, beta, gamma } = world.nodes;
      await world.send(world.actors.owner, world.registry, "setDraining", [alpha.nodeId, true]);
      await world.send(world.actors.deployer, world.registry, "suspend", [beta.nodeId, (await world.now()) + 1_000]);
      await world.send(world.actors.owner, world.stakeVault, "beginExit", [gamma.nodeId, 601n * NGPU_WEI]);
      for (const { nodeId } of [alpha, beta, gamma]) {
        await world.refresh(MODEL, nodeId);
        expect(await world.weightOf(MODEL, nodeId)).to.equal(0);
      }
      const other = { ...world.selection, functionName: "currentWeightOf" } as const;
      expect(await world.publicClient.readContract({ ...other, args: [hashOf("another model"), 1] })).to.equal(0);
      expect(await world.publicClient.readContract({ ...other, args: [MODEL, 99] })).to.equal(0);
    });

    it("of keepers are linear in their bonds", async () => {
      for (const { keeperId } of world.keepers) {
        await world.refresh(KEEPER_POOL, keeperId);
        expect(await world.weightOf(KEEPER_POOL, keeperId)).to.equal(100 * keeperId);
      }
      const keeper = world.keepers[0]?.account.address ?? zeroAddress;
      await world.send(keeper, world.keeperBonds, "beginExit", [1n]);
      await world.refresh(KEEPER_POOL, 1);
      expect(await world.weightOf(KEEPER_POOL, 1)).to.equal(0);
      expect(BOND % 100n).to.equal(0n);
    });
  });

  describe("queue", () => {
    it("takes a member once, applies it in the next update as it is then, and skips what is up to date", async () => {
      await world.openEpoch();
      const { alpha, beta } = world.nodes;
      await world.refresh(MODEL, alpha.nodeId);
      expect(await queueLength(), "an unchanged weight is not queued").to.equal(0n);
      await world.send(world.actors.deployer, world.scoreBoard, "setQuality", [alpha.nodeId, 5_000, zeroHash]);
      await world.send(world.actors.owner, world.registry, "setDraining", [beta.nodeId, true]);
      for (const { nodeId } of [alpha, alpha, beta, beta]) await world.refresh(MODEL, nodeId);
      expect(await queueLength()).to.equal(2n);
      await world.send(world.actors.deployer, world.scoreBoard, "setQuality", [alpha.nodeId, 10_000, zeroHash]);
      await world.toUpdate();
      const first = await world.send(world.actors.stranger, world.selection, "applyQueued", [1n]);
      expect(await queueLength()).to.equal(1n);
      const rest = await world.send(world.actors.stranger, world.selection, "applyQueued", [10n]);
      expect(await queueLength()).to.equal(0n);
      const changes = [first, rest].flatMap((receipt) => eventsOf(receipt, world.selection, "WeightChanged"));
      const weights = changes.map(({ member, formerWeight, weight }) => [member, formerWeight, weight]);
      expect(weights.sort()).to.deep.equal([
        [alpha.nodeId, 25, 100],
        [beta.nodeId, 25, 0],
      ]);
      await world.openEpoch();
      await world.send(world.actors.owner, world.registry, "setDraining", [beta.nodeId, false]);
      await world.refresh(MODEL, beta.nodeId);
      expect(await queueLength(), "what left the queue can be queued again").to.equal(1n);
    });
  });

  it("says how long its phases are, as they were deployed", async () => {
    const lengths = await world.publicClient.readContract({ ...world.selection, functionName: "lengths" });
    expect(lengths).to.deep.equal({
      openS: seconds.open,
      updateS: seconds.update,
      seedTimeoutS: seconds.seedTimeout,
      challengeS: seconds.challenge,
    });
  });

  it("measures what an update costs", async () => {
    const first = await world.refresh(MODEL, world.nodes.alpha.nodeId);
    await world.refresh(MODEL, world.nodes.beta.nodeId);
    await world.send(world.actors.deployer, world.scoreBoard, "setQuality", [world.nodes.beta.nodeId, 9_000, zeroHash]);
    const again = await world.refresh(MODEL, world.nodes.beta.nodeId);
    console.log(`refresh: first member ${first.gasUsed} gas, change of a weight ${again.gasUsed} gas`);
    expect(again.gasUsed < first.gasUsed, "a place is paid for once").to.equal(true);
  });
});

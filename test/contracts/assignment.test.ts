/** Posted draws and their challenges: contracts/Assignment.sol. */
import { after, before, beforeEach, describe, it } from "node:test";
import { expect } from "chai";
import { encodeFunctionData, zeroAddress, type Address, type Hex } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import { eventsOf } from "./support/chain.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import {
  BOND,
  createSelectionWorld,
  MODEL,
  POST_BOND,
  seconds,
  skipKind,
  type SelectionWorld,
} from "./support/selection.ts";
import { anAssignedTask, assignTask, hashOf, postTask, readTask, settleTask } from "./support/tasks.ts";
import { wordsOf } from "./support/taskWords.ts";
import { keyOf, NGPU_WEI } from "./support/world.ts";

const BURN: Address = "0x000000000000000000000000000000000000dEaD";

interface Claim {
  taskId: Hex;
  modelId: Hex;
  inputCommitment: Hex;
  nodes: readonly number[];
}
interface Skip {
  index: number;
  kind: number;
  slots: number;
  timeMs: bigint;
  expiry: bigint;
  signatures: Hex[];
}

describe("Assignment", () => {
  let world: SelectionWorld;
  let taskId: Hex;
  let keeper: PrivateKeyAccount;
  let challenger: Address;

  before(async () => {
    world = await createSelectionWorld();
    await world.openEpoch();
    ({ taskId } = await postTask(world));
    keeper = keeperAt(4);
    challenger = world.accountAt(14);
    await world.send(world.actors.deployer, world.ngpu, "transfer", [challenger, 100n * NGPU_WEI]);
    await world.send(challenger, world.ngpu, "approve", [world.keeperBonds.address, 2n ** 256n - 1n]);
    await world.remember();
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  function keeperAt(index: number): PrivateKeyAccount {
    const found = world.keepers[index];
    if (found === undefined) throw new RangeError("there are five keepers");
    return found.account;
  }
  function nodeAt(nodeId: number) {
    const found = Object.values(world.nodes).find((node) => node.nodeId === nodeId);
    if (found === undefined) throw new RangeError(`no node ${nodeId}`);
    return found;
  }
  const drawFor = (count: number) =>
    world.publicClient.readContract({
      ...world.assignment,
      functionName: "drawFor",
      args: [taskId, MODEL, BigInt(count)],
    });
  async function aClaim(change: Partial<Claim> = {}): Promise<Claim> {
    return { taskId, modelId: MODEL, inputCommitment: hashOf("input commitment"), nodes: await drawFor(2), ...change };
  }
  const post = (claim: Claim, skips: Skip[] = [], from: Address = keeper.address, at?: number) =>
    world.send(from, world.assignment, "post", [claim, skips], at === undefined ? {} : { at });
  const challenge = async (
    claim: Claim,
    { mask = 0n, from = challenger, at }: { mask?: bigint; from?: Address; at?: number } = {},
  ) => {
    const words = await wordsOf(world, claim.taskId);
    const args = [claim, mask, keeper.address, words] as const;
    return world.send(from, world.assignment, "challenge", args, at === undefined ? {} : { at });
  };
  const bondOf = async () =>
    (await world.publicClient.readContract({ ...world.keeperBonds, functionName: "keeper", args: [5] })).bondWei;
  const creditOf = (account: Address) =>
    world.publicClient.readContract({ ...world.keeperBonds, functionName: "creditOf", args: [account] });
  async function wrongClaim(): Promise<Claim> {
    return aClaim({ nodes: (await drawFor(2)).toReversed() });
  }
  const inAMinute = async () => BigInt((await world.now()) + 60);

  describe("post", () => {
    it("says who was drawn, locks the keeper's bond for it, and moves neither task nor money", async () => {
      const claim = await aClaim();
      const before = await readTask(world, taskId);
      const receipt = await post(claim);
      const [event] = eventsOf(receipt, world.assignment, "AssignmentPosted");
      expect(event).to.deep.include({ taskId, keeper: keeper.address, epoch: 1, nodes: claim.nodes, skippedMask: 0n });
      const posted = { ...world.assignment, functionName: "posted", args: [event?.postId ?? "0x"] } as const;
      expect(await world.publicClient.readContract(posted)).to.deep.equal({
        keeper: keeper.address,
        postedAt: await world.now(),
        epoch: 1,
        state: 1,
      });
      const locked = { ...world.keeperBonds, functionName: "lockedOf", args: [5] } as const;
      expect(await world.publicClient.readContract(locked)).to.equal(POST_BOND);
      expect(await readTask(world, taskId)).to.deep.equal(before);
      console.log(`post without skips: ${receipt.gasUsed} gas`);
    });

    it("bug class 28: neither a wrong post nor the same words of another keeper block a right one", async () => {
      await post(await wrongClaim(), [], keeperAt(0).address);
      await post(await aClaim(), [], keeperAt(1).address);
      await post(await aClaim());
      expect(await codeOf(post(await aClaim()))).to.equal("AssignmentPostExists");
      await post(await wrongClaim());
    });

    it("needs a free bond for every post that can still be challenged", async () => {
      const small = keeperAt(0);
      for (let i = 0; i < 3; i++) {
        await post(await aClaim({ taskId: hashOf(`task ${i}`) }), [], small.address);
      }
      expect(await revertOf(post(await aClaim(), [], small.address))).to.deep.equal({
        name: "BondShort",
        args: [small.address, BOND - 3n * POST_BOND, POST_BOND],
      });
      expect(await codeOf(post(await aClaim(), [], world.actors.stranger))).to.equal("BondNotKeeper");
    });

    it("is taken only while it can still be challenged within the epoch", async () => {
      const until = await world.publicClient.readContract({ ...world.selection, functionName: "postableUntil" });
      const since = await world.publicClient.readContract({ ...world.selection, functionName: "phaseSince" });
      expect(until).to.equal(since + seconds.open - seconds.challenge);
      const claim = await aClaim();
      expect(await revertOf(post(claim, [], keeper.address, until))).to.deep.equal({
        name: "AssignmentNotPostable",
        args: [until],
      });
      await world.restore();
      await post(claim, [], keeper.address, until - 1);
      const ends = since + seconds.open;
      expect(await codeOf(world.advance({ at: ends - 3 })), "nobody can end the epoch first").to.equal(
        "SelectionPhaseNotOver",
      );
      await challenge(claim, { at: ends - 2 });
    });

    it("names 1 to 16 nodes, and ends with one that serves", async () => {
      for (const nodes of [[], Array.from({ length: 17 }, () => 1)]) {
        expect(await codeOf(post(await aClaim({ nodes })))).to.equal("AssignmentNodesInvalid");
      }
      const [first] = await drawFor(1);
      const skip = await aBusySkip(first ?? 0, 0);
      expect(await codeOf(post(await aClaim({ nodes: await drawFor(1) }), [skip]))).to.equal("AssignmentNodesInvalid");
    });
  });

  /** As the operator of a drawn node would sign it, unless the test says otherwise. */
  async function aBusySkip(
    nodeId: number,
    index: number,
    change: { taskId?: Hex; expiry?: bigint; signer?: PrivateKeyAccount } = {},
  ) {
    const expiry = change.expiry ?? (await inAMinute());
    const message = { taskId: change.taskId ?? taskId, nodeId, slots: 2, timeMs: 1_800_000_000_000n, expiry };
    const { signature } = await world.busyBy(change.signer ?? nodeAt(nodeId).operator, message);
    return { index, kind: skipKind.busy, slots: 2, timeMs: message.timeMs, expiry, signatures: [signature] };
  }
  async function aSuspectedSkip(nodeId: number, index: number, signers: readonly PrivateKeyAccount[]) {
    const message = { taskId, nodeId, timeMs: 1_800_000_000_000n, expiry: await inAMinute() };
    const signed = await Promise.all(signers.map((signer) => world.suspicionBy(signer, message)));
    const signatures = signed.map(({ signature }) => signature);
    return { index, kind: skipKind.suspected, slots: 0, timeMs: message.timeMs, expiry: message.expiry, signatures };
  }

  describe("skip", () => {
    it("passes over a busy node, a suspected one, and one that may not serve", async () => {
      const nodes = await drawFor(3);
      const [first = 0, second = 0] = nodes;
      const claim = await aClaim({ nodes });
      const busy = await aBusySkip(first, 0);
      const receipt = await post(claim, [busy, await aSuspectedSkip(second, 1, [keeperAt(0), keeperAt(1)])]);
      expect(eventsOf(receipt, world.assignment, "AssignmentPosted")[0]?.skippedMask).to.equal(3n);
      console.log(`post with a busy certificate and a suspicion by two: ${receipt.gasUsed} gas`);
      await world.send(world.actors.owner, world.registry, "setDraining", [first, true]);
      const gone: Skip = { index: 0, kind: skipKind.ineligible, slots: 0, timeMs: 0n, expiry: 0n, signatures: [] };
      await post(claim, [gone], keeperAt(0).address);
      await challenge(claim, { mask: 3n });
      expect(await bondOf(), "the draw was right").to.equal(5n * BOND);
    });

    it("takes no certificate for another task, after its expiry, of another key, or with too long a life", async () => {
      const nodes = await drawFor(2);
      const [first = 0] = nodes;
      const claim = await aClaim({ nodes });
      const now = BigInt(await world.now());
      const { operator } = nodeAt(first);
      const rejected = [
        await aBusySkip(first, 0, { taskId: hashOf("another task") }),
        await aBusySkip(first, 0, { expiry: now - 1n }),
        await aBusySkip(first, 0, { expiry: now + 3_600n }),
        await aBusySkip(first, 0, { signer: keyOf("stranger") }),
        { ...(await aBusySkip(first, 0)), slots: 3 },
        { ...(await aBusySkip(first, 0)), signatures: [] },
        { ...(await aBusySkip(first, 0)), signatures: ["0x" as Hex] },
        { ...(await aBusySkip(first, 0)), kind: skipKind.ineligible },
        await aSuspectedSkip(first, 0, [keeperAt(0)]),
        await aSuspectedSkip(first, 0, [keeperAt(0), keeperAt(0)]),
        await aSuspectedSkip(first, 0, [keeperAt(1), keeperAt(0)]),
        await aSuspectedSkip(first, 0, [keeperAt(0), operator]),
        await aSuspectedSkip(first, 0, Array.from({ length: 9 }, () => keeperAt(0))),
      ];
      for (const [index, skip] of rejected.entries()) {
        expect(await codeOf(post(claim, [skip])), `${index}`).to.equal("AssignmentSkipInvalid");
      }
      await post(claim, [await aBusySkip(first, 0)]);
    });

    it("takes no certificate of a retired operator key", async () => {
      const nodes = await drawFor(2);
      const [first = 0] = nodes;
      const skip = await aBusySkip(first, 0);
      const { owner } = nodeAt(first);
      const next = keyOf("next operator");
      const consent = await world.bind(owner, next);
      await world.send(owner, world.registry, "rotateOperator", [first, next.address, 2n ** 40n, consent]);
      expect(await codeOf(post(await aClaim({ nodes }), [skip]))).to.equal("AssignmentSkipInvalid");
    });

    it("names each place once, in order, and only places of the draw", async () => {
      const nodes = await drawFor(2);
      const [first = 0] = nodes;
      const claim = await aClaim({ nodes });
      const skip = await aBusySkip(first, 0);
      expect(await codeOf(post(claim, [skip, skip]))).to.equal("AssignmentSkipOrder");
      for (const index of [2, 255]) {
        expect(await codeOf(post(claim, [{ ...skip, index }]))).to.equal("AssignmentSkipOrder");
      }
    });
  });

  describe("challenge", () => {
    it("takes a wrong post's bond: half burned, half to the challenger, who needs to put up nothing", async () => {
      const claim = await wrongClaim();
      await post(claim);
      const burned = await world.balanceOf(BURN);
      const receipt = await challenge(claim, { from: world.actors.stranger });
      expect(eventsOf(receipt, world.assignment, "AssignmentOverturned")[0]).to.deep.include({
        taskId,
        keeper: keeper.address,
        challenger: world.actors.stranger,
        slashedWei: POST_BOND,
      });
      const moved = [await bondOf(), await creditOf(world.actors.stranger), (await world.balanceOf(BURN)) - burned];
      expect(moved).to.deep.equal([5n * BOND - POST_BOND, POST_BOND / 2n, POST_BOND / 2n]);
      expect(await codeOf(challenge(claim))).to.equal("AssignmentPostUnknown");
      console.log(`challenge of a wrong post: ${receipt.gasUsed} gas`);
    });

    it("costs a challenger as much when the post was right, and leaves the post standing", async () => {
      const claim = await aClaim();
      await post(claim);
      const before = await world.balanceOf(challenger);
      for (let i = 1n; i <= 3n; i++) {
        const receipt = await challenge(claim);
        expect(eventsOf(receipt, world.assignment, "AssignmentUpheld")[0]).to.deep.include({ takenWei: POST_BOND });
        expect(before - (await world.balanceOf(challenger))).to.equal(i * POST_BOND);
        expect(await creditOf(keeper.address)).to.equal((i * POST_BOND) / 2n);
        if (i === 1n) console.log(`challenge of a right post: ${receipt.gasUsed} gas`);
      }
      expect(await bondOf()).to.equal(5n * BOND);
    });

    it("spam: whoever puts up nothing for a wrong challenge changes nothing", async () => {
      const claim = await aClaim();
      await post(claim);
      const spam = challenge(claim, { from: world.actors.stranger });
      expect(await codeOf(spam)).to.equal("ERC20InsufficientAllowance");
      expect(await creditOf(keeper.address)).to.equal(0n);
    });

    it("finds a wrong model, a wrong node, a node too many, and a task that does not exist", async () => {
      const other = hashOf("another model");
      await world.toUpdate();
      for (const { nodeId, owner } of Object.values(world.nodes)) {
        await world.send(owner, world.registry, "declareModel", [nodeId, other, true]);
        await world.refresh(other, nodeId);
      }
      await world.openEpoch();
      const drawn = await drawFor(3);
      const wrong = [
        await aClaim({ modelId: other, nodes: await world.draw(taskId, 2, other) }),
        await aClaim({ nodes: [drawn[0] ?? 0, drawn[2] ?? 0] }),
        await aClaim({ nodes: [...drawn, 1] }),
        await aClaim({ taskId: hashOf("no task"), nodes: await world.draw(hashOf("no task"), 2) }),
      ];
      let bond = await bondOf();
      for (const [index, claim] of wrong.entries()) {
        await post(claim);
        await challenge(claim);
        bond -= POST_BOND;
        expect(await bondOf(), `${index}`).to.equal(bond);
      }
    });

    it("ends with its window, and knows only what was posted", async () => {
      const claim = await wrongClaim();
      await post(claim);
      const until = (await world.now()) + seconds.challenge;
      expect(await codeOf(challenge({ ...claim, nodes: [1] }))).to.equal("AssignmentPostUnknown");
      expect(await codeOf(challenge(claim, { mask: 1n }))).to.equal("AssignmentPostUnknown");
      expect((await revertOf(challenge(claim, { at: until }))).name).to.equal("AssignmentChallengeOver");
      await world.openEpoch();
      // The snapshot it was drawn from is gone.
      expect(await codeOf(challenge(claim))).to.equal("AssignmentPostUnknown");
    });

    it("bug class 3: a keeper that leaves cannot make a challenge fail, nor keep what it owes", async () => {
      const claim = await wrongClaim();
      await post(claim);
      await world.send(keeper.address, world.keeperBonds, "beginExit", [5n * BOND]);
      await challenge(claim);
      expect(await bondOf()).to.equal(5n * BOND - POST_BOND);
    });

    it("1/64 gas: starved of gas it has not happened, whichever way it would have gone", async () => {
      for (const claim of [await wrongClaim(), await aClaim()]) {
        await post(claim);
        const data = encodeFunctionData({
          abi: world.assignment.abi,
          functionName: "challenge",
          args: [claim, 0n, keeper.address, await wordsOf(world, claim.taskId)],
        });
        const call = { account: challenger, to: world.assignment.address, data } as const;
        const needed = await world.publicClient.estimateGas(call);
        const outcomes = new Set<string>();
        for (let gas = 40_000n; gas < needed; gas += (needed - 40_000n) / 12n + 1n) {
          const outcome = await world.publicClient.call({ ...call, gas }).then(
            ({ data: result }) => result ?? "nothing",
            () => "reverted",
          );
          outcomes.add(outcome);
        }
        const { data: whole } = await world.publicClient.call({ ...call, gas: needed });
        outcomes.delete("reverted");
        outcomes.delete(whole ?? "");
        expect([...outcomes], "less gas never gives another verdict").to.deep.equal([]);
      }
      expect(await bondOf()).to.equal(5n * BOND);
    });

    it("by words that are not the task's is refused: a true post stands, and nobody's bond moves", async () => {
      const claim = await aClaim();
      await post(claim);
      const other = await postTask(world, { change: { clientNonce: hashOf("other"), modelId: hashOf("other model") } });
      const words = await wordsOf(world, claim.taskId);
      const { terms } = await wordsOf(world, other.taskId);
      for (const lie of [{ ...words, terms }, await wordsOf(world, hashOf("no task"))]) {
        const act = world.send(challenger, world.assignment, "challenge", [claim, 0n, keeper.address, lie]);
        expect(await revertOf(act)).to.deep.equal({ name: "TaskWordsMismatch", args: [claim.taskId] });
      }
      expect(await bondOf()).to.equal(5n * BOND);
    });

    it("of a post about a task that does not exist needs no words: its keeper loses the bond", async () => {
      const claim = await aClaim({ taskId: hashOf("no task") });
      await post(claim);
      await challenge(claim);
      expect(await bondOf()).to.equal(5n * BOND - POST_BOND);
    });

    it("of a wrong post works whatever became of the task: assigned, or settled", async () => {
      for (const settle of [false, true]) {
        const assigned = await anAssignedTask(world, { clientNonce: hashOf(`settled ${settle}`) });
        if (settle) await settleTask(world, assigned.taskId, world.nodes.alpha);
        const drawn = await world.publicClient.readContract({
          ...world.assignment,
          functionName: "drawFor",
          args: [assigned.taskId, MODEL, 2n],
        });
        const claim = await aClaim({ taskId: assigned.taskId, nodes: drawn.toReversed() });
        const before = await bondOf();
        await post(claim);
        await challenge(claim);
        expect(await bondOf()).to.equal(before - POST_BOND);
      }
    });

    it("that is won never voids an executed receipt", async () => {
      await world.restore();
      const second = hashOf("second");
      const assigned = await anAssignedTask(world, { clientNonce: second });
      const claim = await aClaim({ taskId: assigned.taskId, nodes: [3, 1] });
      await post(claim);
      await challenge(claim);
      await settleTask(world, assigned.taskId, world.nodes.alpha);
      expect((await readTask(world, assigned.taskId)).status).to.equal(4);
    });
  });

  describe("fallback", () => {
    it("INV-8: with no seed and no keeper the direct rail still assigns once its keeper window is over", async () => {
      await world.toUpdate();
      await world.increase(seconds.update + seconds.seedTimeout);
      await world.send(world.actors.stranger, world.selection, "openWithoutSeed", []);
      expect(await codeOf(drawFor(1))).to.equal("SelectionNotDrawable");
      const late = await postTask(world, { change: { clientNonce: hashOf("late"), backups: 0 } });
      await world.increase(61);
      await assignTask(world, late.taskId, { from: world.actors.stranger, nodes: [{ nodeId: 1 }] });
      expect((await wordsOf(world, late.taskId)).standing.seats).to.deep.equal([{ nodeId: 1, powerCu: 1_000 }]);
    });
  });

  it("refuses parts that are missing, and a bond that no keeper has or that no lock outlives", async () => {
    const { registry, selection, keeperBonds, escrow, assignment } = world;
    const args = [registry.address, selection.address, keeperBonds.address, escrow.address, POST_BOND] as const;
    const shortLock = await world.deploy("KeeperBonds", keeperBonds.abi, [world.ngpu.address, BOND, 59, 300]);
    const wrong = [0, 1, 2, 3].map((index) => args.with(index, zeroAddress));
    wrong.push(args.with(4, 1n), args.with(4, BOND + 1n), args.with(2, shortLock.address));
    for (const each of wrong) {
      expect(await codeOf(world.deploy("Assignment", assignment.abi, each))).to.equal("AssignmentParameterInvalid");
    }
  });
});

/**
 * Liveness and missed tasks: contracts/Availability.sol. Penalties follow facts that anyone can check, in any order of
 * closing, with any gas; whoever shows a fault that is none pays for it.
 */
import { after, before, beforeEach, describe, it } from "node:test";
import { limits } from "@ngpu/protocol/limits";
import { receiptStatus } from "@ngpu/protocol/typedData";
import { expect } from "chai";
import {
  decodeAbiParameters,
  encodeAbiParameters,
  getAddress,
  parseAbi,
  parseAbiParameters,
  zeroHash,
  type Hex,
} from "viem";
import { eventsOf } from "./support/chain.ts";
import {
  answerChallenge,
  availabilityTerms as terms,
  bondCreditOf,
  BURN,
  challengeNode,
  createFaultWorld,
  nextEpochStart,
  stakeOf,
  type FaultWorld,
} from "./support/faults.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import { acceptTask, anAssignedTask, assignTask, expireTask, hashOf, postTask, settleTask } from "./support/tasks.ts";
import { wordsOf } from "./support/taskWords.ts";
import { keyOf, NGPU_WEI, type NodeKeys } from "./support/world.ts";

const W = terms.replyWindowSeconds;
const EPOCH = terms.epochSeconds;
const upkeep = parseAbiParameters([
  "bytes32[] challengeIds, MissedTask[] missed",
  "struct MissedTask { bytes32 taskId; uint32 nodeId; TaskTerms terms; Assigned standing; }",
  "struct TaskTerms { address payer; uint40 postedAt; uint40 deadline; uint8 backups; uint64 workCums; uint64 priceUsd6PerGcums; uint64 stakeWeiPerUsd6; bytes32 contentHash; }",
  "struct Assigned { address assigner; Seat[] seats; }",
  "struct Seat { uint32 nodeId; uint32 powerCu; }",
]);

describe("Availability", () => {
  let world: FaultWorld;
  let alpha: NodeKeys;
  let beta: NodeKeys;
  let stranger: `0x${string}`;

  before(async () => {
    world = await createFaultWorld();
    ({ alpha, beta } = world.nodes);
    ({ stranger } = world.actors);
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  const readChallenge = (id: Hex) =>
    world.publicClient.readContract({ ...world.availability, functionName: "challenge", args: [id] });
  const readFault = (id: Hex) =>
    world.publicClient.readContract({ ...world.availability, functionName: "fault", args: [id] });
  const standing = ({ nodeId }: NodeKeys) =>
    world.publicClient.readContract({ ...world.availability, functionName: "standingOf", args: [nodeId] });
  const qualityBps = ({ nodeId }: NodeKeys) =>
    world.publicClient.readContract({ ...world.availability, functionName: "qualityBpsOf", args: [nodeId] });
  const close = (challengeId: Hex, options: { at?: number; gas?: bigint } = {}) =>
    world.send(stranger, world.availability, "closeChallenge", [challengeId], options);
  async function missOf(taskId: Hex, { nodeId }: { nodeId: number }) {
    const { terms: its, standing: seats } = await wordsOf(world, taskId);
    return { taskId, nodeId, terms: its, standing: seats };
  }
  const report = async (taskId: Hex, node: NodeKeys, from = stranger, gas?: bigint) => {
    const args = [await missOf(taskId, node)] as const;
    return world.send(from, world.availability, "reportMissedTask", args, gas === undefined ? {} : { gas });
  };
  const penaltyOf = (receipt: Awaited<ReturnType<typeof close>>) =>
    eventsOf(receipt, world.availability, "PenaltyApplied")[0];
  const perform = (ids: readonly Hex[], missed: readonly Awaited<ReturnType<typeof missOf>>[] = []) =>
    world.send(stranger, world.availability, "performUpkeep", [encodeAbiParameters(upkeep, [ids, missed])]);
  const coins = () => world.publicClient.getBalance({ address: world.availability.address });

  /** A node's silence in the epoch that begins at `at`, closed as early as possible. */
  async function beSilent(node: NodeKeys, at: number) {
    const challenge = await challengeNode(world, node, { at });
    return { challenge, receipt: await close(challenge.challengeId, { at: challenge.closableAt }) };
  }

  /** A task that `nodes` accepted and let expire. */
  async function aMissedTask(nodes: readonly NodeKeys[], change: { clientNonce?: Hex } = {}) {
    const { taskId, post } = await anAssignedTask(world, change);
    for (const node of nodes) await acceptTask(world, taskId, node);
    await world.increaseTo(post.deadline + limits.settleGraceS);
    await expireTask(world, taskId);
    return { taskId, maxWei: 137n * 2_000_000_000_000n, expiredAt: post.deadline + limits.settleGraceS };
  }

  describe("behaviour", () => {
    it("pays whoever relays the answer from the bond, burns half of the rest and returns the other half", async () => {
      const { otherPayer } = world.actors;
      const challenge = await challengeNode(world, alpha, { bondWei: 10n ** 17n });
      const receipt = await answerChallenge(world, alpha, challenge);
      const [answered] = eventsOf(receipt, world.availability, "LivenessAnswered");
      if (answered === undefined) throw new Error("not answered");
      const { baseFeePerGas } = await world.publicClient.getBlock({ blockNumber: receipt.blockNumber });
      const tip = receipt.effectiveGasPrice - (baseFeePerGas ?? 0n);
      const priced = (baseFeePerGas ?? 0n) + (tip < 2n * 10n ** 9n ? tip : 2n * 10n ** 9n);
      expect(answered.relayWei).to.equal((120_000n * priced * 3n) / 2n);
      expect(answered.relayWei >= (receipt.gasUsed * receipt.effectiveGasPrice * 11n) / 10n).to.equal(true);
      expect(answered.relayWei + answered.burnedWei + answered.returnedWei).to.equal(10n ** 17n);
      expect(answered.burnedWei).to.equal((10n ** 17n - answered.relayWei) / 2n);
      expect(await bondCreditOf(world, otherPayer)).to.equal(answered.relayWei);
      expect(await bondCreditOf(world, stranger)).to.equal(answered.returnedWei);
      expect(await bondCreditOf(world, BURN)).to.equal(answered.burnedWei);
      expect((await standing(alpha)).strikes).to.equal(0);
      for (const account of [otherPayer, stranger, BURN] as const) {
        await world.send(stranger, world.availability, "payBondCredit", [account]);
      }
      expect(await coins(), "INV-1").to.equal(0n);
    });

    it("takes an answer over the hash of any block since the challenge, in the last second", async () => {
      const challenge = await challengeNode(world, alpha);
      for (let i = 0; i < 200; i += 1) await world.increase(1);
      const blockNumber = challenge.block + 150n;
      await answerChallenge(world, alpha, challenge, { blockNumber, at: challenge.replyBy });
      expect((await readChallenge(challenge.challengeId)).status).to.equal(2);
    });

    it("suspends a silent node to the end of its epoch, cuts its quality and returns the bond", async () => {
      const start = await nextEpochStart(world);
      const { challenge, receipt } = await beSilent(alpha, start);
      expect(challenge.closableAt).to.equal(start + 2 * W);
      expect(penaltyOf(receipt)).to.deep.include({
        nodeId: alpha.nodeId,
        suspendedUntil: start + EPOCH,
        bannedUntil: 0,
        qualityBps: 8_000,
        slashedWei: 0n,
      });
      expect(await qualityBps(alpha)).to.equal(8_000);
      expect(await bondCreditOf(world, stranger)).to.equal(challenge.bondWei);
      expect(await stakeOf(world, alpha)).to.equal(1_000n * NGPU_WEI);
      const again = challengeNode(world, alpha, { at: start + 2 * W + 10 });
      expect(await revertOf(again)).to.deep.equal({ name: "AvailabilityNodeNotActive", args: [alpha.nodeId] });
    });

    it("suspends for half an epoch at least when the epoch is nearly over", async () => {
      const start = await nextEpochStart(world);
      const challenge = await challengeNode(world, alpha, { at: start });
      const receipt = await close(challenge.challengeId, { at: start + EPOCH - 1 });
      expect(penaltyOf(receipt)?.suspendedUntil).to.equal(start + EPOCH - 1 + EPOCH / 2);
    });

    it("climbs the ladder: suspension, reward ban, then half a percent of the snapshot", async () => {
      const start = await nextEpochStart(world);
      const first = await beSilent(alpha, start);
      const second = await beSilent(alpha, start + EPOCH);
      const third = await beSilent(alpha, start + 2 * EPOCH);
      const closedSecond = start + EPOCH + 2 * W;
      expect(penaltyOf(first.receipt)).to.deep.include({ bannedUntil: 0, slashedWei: 0n, qualityBps: 8_000 });
      expect(penaltyOf(second.receipt)).to.deep.include({
        bannedUntil: closedSecond + terms.banSeconds,
        slashedWei: 0n,
        qualityBps: 6_000,
      });
      expect(penaltyOf(third.receipt)).to.deep.include({ slashedWei: 5n * NGPU_WEI, qualityBps: 4_000 });
      const held = await world.publicClient.readContract({ ...world.vault, functionName: "held", args: [0n] });
      expect(held).to.deep.include({
        slasher: getAddress(world.availability.address),
        compensationWei: 0n,
        challengerWei: NGPU_WEI / 2n,
        challenger: stranger,
      });
    });

    it("forgets one strike for each decay period, and never goes below a fifth of the quality", async () => {
      const start = await nextEpochStart(world);
      for (let i = 0; i < 6; i += 1) await beSilent(alpha, start + i * EPOCH);
      expect((await standing(alpha)).strikes).to.equal(6);
      expect(await qualityBps(alpha), "banned").to.equal(0);
      await world.increaseTo((await standing(alpha)).bannedUntil);
      expect(await qualityBps(alpha)).to.equal(2_000);
      const last = (await standing(alpha)).lastStrikeAt;
      await world.increaseTo(last + terms.decaySeconds - 1);
      expect((await standing(alpha)).strikes).to.equal(6);
      await world.increaseTo(last + 2 * terms.decaySeconds);
      expect((await standing(alpha)).strikes).to.equal(4);
      await world.increaseTo(last + 60 * terms.decaySeconds);
      expect(await qualityBps(alpha)).to.equal(10_000);
    });

    it("slashes a missed accepted task, compensates its payer within the task's maximum, rewards the report", async () => {
      const { taskId, maxWei } = await aMissedTask([alpha]);
      const receipt = await report(taskId, alpha);
      expect(penaltyOf(receipt)).to.deep.include({ slashedWei: 20n * NGPU_WEI, qualityBps: 8_000 });
      const held = await world.publicClient.readContract({ ...world.vault, functionName: "held", args: [0n] });
      expect(held).to.deep.include({
        compensated: world.actors.payer,
        compensationWei: maxWei,
        challenger: stranger,
        challengerWei: 2n * NGPU_WEI,
      });
      expect(await codeOf(report(taskId, alpha)), "once").to.equal("AvailabilityNoMiss");
      expect(await codeOf(report(taskId, beta)), "it had not accepted").to.equal("AvailabilityNoMiss");
      expect(await codeOf(report(taskId, world.nodes.gamma)), "foreign").to.equal("AvailabilityNoMiss");
    });

    it("compensates forty percent at most, where that is less than the task's maximum", async () => {
      const { taskId } = await aMissedTask([alpha]);
      await world.setStake(alpha.nodeId, 0n);
      await world.send(world.actors.deployer, world.vault, "setStake", [alpha.nodeId, 1_000n]);
      await report(taskId, alpha);
      const held = await world.publicClient.readContract({ ...world.vault, functionName: "held", args: [0n] });
      expect(held).to.deep.include({ slashedWei: 20n, compensationWei: 8n, challengerWei: 2n });
    });

    it("doubles the slash when primary and backup both failed, but compensates the task once", async () => {
      const { taskId, maxWei } = await aMissedTask([alpha, beta]);
      for (const node of [alpha, beta]) {
        expect(penaltyOf(await report(taskId, node))?.slashedWei).to.equal(40n * NGPU_WEI);
      }
      const heldOf = (slashId: bigint) =>
        world.publicClient.readContract({ ...world.vault, functionName: "held", args: [slashId] });
      expect((await heldOf(0n)).compensationWei).to.equal(maxWei);
      expect((await heldOf(1n)).compensationWei).to.equal(0n);
    });

    it("knows no miss without an accept, with a signed failure, or while the task may still end otherwise", async () => {
      const { taskId, post } = await anAssignedTask(world);
      await acceptTask(world, taskId, alpha);
      await acceptTask(world, taskId, beta);
      expect(await codeOf(report(taskId, alpha)), "open").to.equal("AvailabilityNoMiss");
      await settleTask(world, taskId, alpha, { change: { status: receiptStatus.modelFailed } });
      await world.increaseTo(post.deadline + limits.settleGraceS);
      expect(await codeOf(report(taskId, beta)), "not expired yet").to.equal("AvailabilityNoMiss");
      await expireTask(world, taskId);
      expect(await codeOf(report(taskId, alpha)), "it signed its failure").to.equal("AvailabilityNoMiss");
      const receipt = await report(taskId, beta);
      expect(penaltyOf(receipt)?.slashedWei, "not a joint failure").to.equal(20n * NGPU_WEI);
      expect(await codeOf(report(zeroHash, alpha)), "no task").to.equal("AvailabilityNoMiss");
    });

    it("knows no miss by words that are not the task's: no stake moves, and the true ones still count", async () => {
      const { taskId } = await aMissedTask([alpha]);
      const miss = await missOf(taskId, alpha);
      const [first, backup] = miss.standing.seats;
      if (first === undefined || backup === undefined) throw new RangeError("two seats");
      const lies = [
        { ...miss, terms: { ...miss.terms, payer: stranger } },
        { ...miss, terms: { ...miss.terms, workCums: miss.terms.workCums * 9n } },
        { ...miss, terms: { ...miss.terms, deadline: miss.terms.deadline + 1 } },
        { ...miss, standing: { ...miss.standing, seats: [backup, first] }, nodeId: beta.nodeId },
        { ...miss, standing: { ...miss.standing, assigner: stranger } },
      ];
      for (const lie of lies) {
        const act = world.send(stranger, world.availability, "reportMissedTask", [lie]);
        expect(await codeOf(act)).to.equal("AvailabilityNoMiss");
        await perform([], [lie]);
      }
      expect(await stakeOf(world, alpha)).to.equal(1_000n * NGPU_WEI);
      expect(penaltyOf(await report(taskId, alpha))?.slashedWei).to.equal(20n * NGPU_WEI);
    });

    it("counts a failure as joint once more than one of up to four nodes missed the task", async () => {
      const { gamma } = world.nodes;
      const { taskId, post } = await postTask(world, { change: { backups: 2 } });
      await assignTask(world, taskId, { nodes: [gamma, alpha, beta] });
      for (const node of [gamma, alpha, beta]) await acceptTask(world, taskId, node);
      await settleTask(world, taskId, gamma, { change: { status: receiptStatus.modelFailed } });
      await world.increaseTo(post.deadline + limits.settleGraceS);
      await expireTask(world, taskId);
      expect(await codeOf(report(taskId, gamma)), "it signed its failure").to.equal("AvailabilityNoMiss");
      for (const node of [alpha, beta]) {
        expect(penaltyOf(await report(taskId, node))?.slashedWei).to.equal(40n * NGPU_WEI);
      }
    });

    it("takes reports for a bounded time, while the stake is still there (class 5, INV-5)", async () => {
      const { taskId, expiredAt } = await aMissedTask([alpha, beta]);
      await world.increaseTo(expiredAt + terms.reportWindowSeconds - 1);
      await report(taskId, alpha);
      await world.increase(10);
      expect(await codeOf(report(taskId, beta))).to.equal("AvailabilityNoMiss");
      expect(terms.reportWindowSeconds < 14 * 86_400).to.equal(true);
    });

    it("punishes nobody while more than a fifth of the stake is silent, whoever is closed first", async () => {
      await world.setStake(99, 2_900n);
      const start = await nextEpochStart(world);
      const { alpha, beta, gamma } = world.nodes;
      // 2,000 of 5,900 are silent in one window: alpha at its start, beta at its end; gamma answers.
      const first = await challengeNode(world, alpha, { at: start });
      const third = await challengeNode(world, gamma, { at: start + 5 });
      await answerChallenge(world, gamma, third);
      const second = await challengeNode(world, beta, { at: start + W - 1 });
      expect([first.closableAt, second.closableAt]).to.deep.equal([start + 2 * W, start + 2 * W]);
      const receipt = await close(first.challengeId, { at: start + 2 * W });
      expect(eventsOf(receipt, world.availability, "FaultRecorded")[0]).to.deep.include({
        excused: true,
        strikes: 0,
        silentWei: 2_000n * NGPU_WEI,
        totalWei: 5_900n * NGPU_WEI,
      });
      expect(penaltyOf(receipt)).to.equal(undefined);
      await close(second.challengeId);
      expect(await standing(alpha)).to.deep.include({ strikes: 0, excused: 1, suspendedUntil: 0 });
      expect(await bondCreditOf(world, stranger)).to.equal(first.bondWei + second.bondWei + (await returnedTo(third)));
      // A later window is counted afresh: time alone clears the breaker.
      const { receipt: later } = await beSilent(alpha, start + EPOCH);
      expect(penaltyOf(later)?.qualityBps).to.equal(8_000);
    });

    async function returnedTo({ challengeId }: { challengeId: Hex }) {
      const logs = await world.publicClient.getContractEvents({
        ...world.availability,
        eventName: "LivenessAnswered",
        args: { challengeId },
        fromBlock: 0n,
      });
      return logs[0]?.args.returnedWei ?? 0n;
    }

    it("does not let challenges that are still open shield a silent node", async () => {
      await world.setStake(99, 2_900n);
      const start = await nextEpochStart(world);
      const silent = await challengeNode(world, alpha, { at: start });
      // Whoever wants to trip the breaker challenges everybody just before the close.
      await challengeNode(world, beta, { at: start + 2 * W - 2 });
      await challengeNode(world, world.nodes.gamma, { at: start + 2 * W - 1 });
      const receipt = await close(silent.challengeId, { at: start + 2 * W });
      expect(eventsOf(receipt, world.availability, "FaultRecorded")[0]?.excused).to.equal(false);
    });

    it("takes a fault back on appeal: strike, suspension and stake, within the window only", async () => {
      const { taskId } = await aMissedTask([alpha, beta]);
      await report(taskId, alpha);
      await report(taskId, beta);
      const faultOf = ({ nodeId }: NodeKeys) =>
        world.publicClient.readContract({
          ...world.availability,
          functionName: "missedTaskIdOf",
          args: [taskId, nodeId],
        });
      const overturn = (id: Hex, from = world.arbitrator) => world.send(from, world.availability, "overturn", [id]);
      expect(await codeOf(overturn(await faultOf(alpha), stranger))).to.equal("AccessManagedUnauthorized");
      const receipt = await overturn(await faultOf(alpha));
      expect(eventsOf(receipt, world.availability, "FaultOverturned")[0]?.returnedWei).to.equal(40n * NGPU_WEI);
      expect(await stakeOf(world, alpha)).to.equal(1_000n * NGPU_WEI);
      expect(await standing(alpha)).to.deep.include({ strikes: 0, suspendedUntil: 0, bannedUntil: 0 });
      expect((await readFault(await faultOf(alpha))).overturned).to.equal(true);
      expect(await codeOf(overturn(await faultOf(alpha)))).to.equal("AvailabilityNotAppealable");
      expect(await codeOf(overturn(zeroHash))).to.equal("AvailabilityNotAppealable");
      await world.increase(terms.appealWindowSeconds + 10);
      expect(await codeOf(overturn(await faultOf(beta)))).to.equal("AvailabilityNotAppealable");
    });

    it("lists what is due and does it for anybody, passing over what is not", async () => {
      const start = await nextEpochStart(world);
      const first = await challengeNode(world, alpha, { at: start });
      const second = await challengeNode(world, beta, { at: start + W });
      const check = async () => {
        const call = { ...world.availability, functionName: "checkUpkeep", args: ["0x"] } as const;
        const [needed, data] = await world.publicClient.readContract(call);
        return { needed, data, ids: decodeAbiParameters(upkeep, data)[0] };
      };
      expect((await check()).needed).to.equal(false);
      await world.increaseTo(start + 2 * W);
      expect(await check()).to.deep.include({ needed: true, ids: [first.challengeId] });
      const unknown = hashOf("no challenge");
      await perform([unknown, second.challengeId, first.challengeId, first.challengeId], [
        await missOf(unknown, alpha),
      ]);
      expect((await standing(alpha)).strikes, "closed once").to.equal(1);
      expect((await standing(beta)).strikes, "not due").to.equal(0);
      await world.increaseTo(start + 3 * W);
      const due = await check();
      expect(due.ids).to.deep.equal([second.challengeId]);
      await world.send(stranger, world.availability, "performUpkeep", [due.data]);
      expect((await standing(beta)).strikes).to.equal(1);
      expect((await check()).needed).to.equal(false);
    });

    it("records missed tasks by upkeep too, without a reward for whoever calls", async () => {
      const { taskId } = await aMissedTask([alpha]);
      await perform([], [await missOf(taskId, alpha)]);
      const held = await world.publicClient.readContract({ ...world.vault, functionName: "held", args: [0n] });
      expect(held).to.deep.include({ slashedWei: 20n * NGPU_WEI, challengerWei: 0n });
    });
  });

  describe("error", () => {
    it("challenges only active nodes, once an epoch, with a bond that pays for the answer", async () => {
      const start = await nextEpochStart(world);
      await challengeNode(world, alpha, { at: start });
      const again = await revertOf(challengeNode(world, alpha));
      expect(again).to.deep.equal({
        name: "AvailabilityChallengedBefore",
        args: [alpha.nodeId, BigInt(start / EPOCH)],
      });
      const small = challengeNode(world, beta, { bondWei: terms.minimumBondWei - 1n });
      expect(await codeOf(small)).to.equal("AvailabilityBondTooSmall");
      await world.send(beta.owner, world.registry, "setDraining", [beta.nodeId, true]);
      for (const nodeId of [beta.nodeId, 77, 0]) {
        expect(await codeOf(challengeNode(world, { nodeId }))).to.equal("AvailabilityNodeNotActive");
      }
    });

    it("takes no answer that is late, of another node or key, old, made up, or given before", async () => {
      const before = await world.publicClient.getBlockNumber();
      const challenge = await challengeNode(world, alpha);
      const tries = [
        [{ signer: beta.operator }, "AvailabilitySignerInvalid"],
        [{ signer: keyOf("nobody") }, "AvailabilitySignerInvalid"],
        [{ nodeId: beta.nodeId }, "AvailabilityChallengeNotOpen"],
        [{ blockNumber: before }, "AvailabilityBlockUnknown"],
        [{ blockHash: hashOf("made up") }, "AvailabilityBlockUnknown"],
        [{ blockNumber: before + 1_000n, blockHash: zeroHash }, "AvailabilityBlockUnknown"],
      ] as const;
      for (const [options, code] of tries) {
        expect(await codeOf(answerChallenge(world, alpha, challenge, options)), code).to.equal(code);
      }
      const other = { ...challenge, challengeId: hashOf("other") };
      expect(await codeOf(answerChallenge(world, alpha, other))).to.equal("AvailabilityChallengeNotOpen");
      await answerChallenge(world, alpha, challenge);
      expect(await codeOf(answerChallenge(world, alpha, challenge))).to.equal("AvailabilityChallengeNotOpen");
      const late = await challengeNode(world, beta);
      const after = answerChallenge(world, beta, late, { at: late.replyBy + 1 });
      expect(await revertOf(after)).to.deep.equal({
        name: "AvailabilityReplyLate",
        args: [late.challengeId, late.replyBy],
      });
    });

    it("lets a key answer that was rotated in, and not the one that was rotated out", async () => {
      const challenge = await challengeNode(world, alpha);
      const operator = keyOf("rotated in");
      const signature = await world.bind(alpha.owner, operator);
      const rotation = [alpha.nodeId, operator.address, 2n ** 40n, signature] as const;
      await world.send(alpha.owner, world.registry, "rotateOperator", rotation);
      const former = answerChallenge(world, alpha, challenge);
      expect(await codeOf(former)).to.equal("AvailabilitySignerInvalid");
      await answerChallenge(world, alpha, challenge, { signer: operator });
    });

    it("closes nothing early, twice, or that was answered", async () => {
      const start = await nextEpochStart(world);
      const challenge = await challengeNode(world, alpha, { at: start });
      expect(await revertOf(close(challenge.challengeId, { at: start + 2 * W - 1 }))).to.deep.equal({
        name: "AvailabilityNotDue",
        args: [challenge.challengeId, start + 2 * W],
      });
      await close(challenge.challengeId, { at: start + 2 * W });
      expect(await codeOf(close(challenge.challengeId))).to.equal("AvailabilityChallengeNotOpen");
      const answered = await challengeNode(world, beta);
      await answerChallenge(world, beta, answered);
      await world.increase(3 * W);
      expect(await codeOf(close(answered.challengeId))).to.equal("AvailabilityChallengeNotOpen");
    });

    it("carries at most sixteen items a call", async () => {
      const many = Array.from({ length: 17 }, (_, i) => hashOf(String(i)));
      expect(await codeOf(perform(many))).to.equal("AvailabilityBatchTooLong");
      await perform(many.slice(1));
    });

    it("cannot be deployed with times that do not fit each other or the thaw", async () => {
      const parts = [world.accessManager.address, world.registry.address, world.escrow.address, world.vault.address];
      const changes = [
        { replyWindowSeconds: 0 },
        { epochSeconds: 2 * W - 1 },
        { reportWindowSeconds: 0 },
        { reportWindowSeconds: 14 * 86_400 + 1 },
        { replyWindowSeconds: 7 * 86_400 + 1, epochSeconds: 15 * 86_400 },
        { decaySeconds: 0 },
        { banSeconds: 0 },
        { appealWindowSeconds: 0 },
        { minimumBondWei: 0n },
      ];
      for (const change of changes) {
        const deployed = world.deploy("Availability", world.availability.abi, [...parts, { ...terms, ...change }]);
        expect(await codeOf(deployed), JSON.stringify(Object.keys(change))).to.equal("AvailabilityTermsInvalid");
      }
    });
  });

  describe("bug classes", () => {
    it("2, 3: no vault that refuses and no empty bucket blocks the record of a fault", async () => {
      const { deployer } = world.actors;
      const { taskId } = await aMissedTask([alpha, beta]);
      await world.send(deployer, world.vault, "setMood", [true, false]);
      expect(penaltyOf(await report(taskId, alpha))).to.deep.include({ slashedWei: 0n, qualityBps: 8_000 });
      await world.send(deployer, world.vault, "setMood", [false, false]);
      await world.send(deployer, world.vault, "setBucket", [7n]);
      expect(penaltyOf(await report(taskId, beta))).to.deep.include({ slashedWei: 7n });
      const held = await world.publicClient.readContract({ ...world.vault, functionName: "held", args: [0n] });
      expect(held.compensationWei).to.equal(2n);
    });

    it("6: repeated slashes use the epoch's snapshot and stop at five percent of it", async () => {
      // Four tasks in one epoch, each missed by both: 4 % of 1,000 each.
      const start = await nextEpochStart(world);
      await world.increaseTo(start);
      await world.send(world.actors.deployer, world.feed, "push", [50_000_000n]);
      const tasks: Hex[] = [];
      for (const label of ["a", "b", "c"]) {
        const { taskId } = await anAssignedTask(world, { clientNonce: hashOf(label) });
        for (const node of [alpha, beta]) await acceptTask(world, taskId, node);
        tasks.push(taskId);
      }
      await world.increase(600 + limits.settleGraceS);
      const slashed: (bigint | undefined)[] = [];
      for (const taskId of tasks) {
        await expireTask(world, taskId);
        slashed.push(penaltyOf(await report(taskId, alpha))?.slashedWei);
      }
      expect(slashed).to.deep.equal([40n * NGPU_WEI, 10n * NGPU_WEI, 0n]);
    });

    it("9: ids of different kinds never meet", async () => {
      const ids = new Set<Hex>();
      for (const number of [1, 2]) {
        const word: Hex = `0x${number.toString(16).padStart(64, "0")}`;
        const args = [number, BigInt(number)] as const;
        ids.add(await world.publicClient.readContract({ ...world.availability, functionName: "challengeIdOf", args }));
        for (const node of [1, 2]) {
          const missed = { functionName: "missedTaskIdOf", args: [word, node] } as const;
          ids.add(await world.publicClient.readContract({ ...world.availability, ...missed }));
          const dispute = { functionName: "disputeIdOf", args: [node, word, stranger] } as const;
          ids.add(await world.publicClient.readContract({ ...world.disputes, ...dispute }));
        }
      }
      expect(ids.size).to.equal(10);
    });

    it("19: a challenger that takes no coins blocks nobody, and keeps its credit", async () => {
      const abi = parseAbi(["function challenge(address availability, uint32 nodeId) payable returns (bytes32)"]);
      const refusing = await world.deploy("RefusingBeneficiary", abi, []);
      const start = await nextEpochStart(world);
      const bond = { at: start, value: 10n ** 17n };
      await world.send(stranger, refusing, "challenge", [world.availability.address, alpha.nodeId], bond);
      const other = await challengeNode(world, beta);
      await world.increaseTo(start + 2 * W);
      const args = [alpha.nodeId, BigInt(start / EPOCH)] as const;
      const read = { ...world.availability, functionName: "challengeIdOf", args } as const;
      await perform([await world.publicClient.readContract(read), other.challengeId]);
      expect([(await standing(alpha)).strikes, (await standing(beta)).strikes]).to.deep.equal([1, 1]);
      const paid = world.send(stranger, world.availability, "payBondCredit", [refusing.address]);
      expect(await codeOf(paid)).to.equal("BondPaymentFailed");
      expect(await bondCreditOf(world, refusing.address)).to.equal(10n ** 17n);
      await world.send(beta.owner, world.availability, "payBondCredit", [stranger]);
      const empty = world.send(stranger, world.availability, "payBondCredit", [stranger]);
      expect(await codeOf(empty)).to.equal("BondNoCredit");
    });

    it("23: a share of one wei is one wei, never nothing", async () => {
      const { taskId } = await aMissedTask([alpha]);
      await world.send(world.actors.deployer, world.vault, "setStake", [alpha.nodeId, 1n]);
      expect(penaltyOf(await report(taskId, alpha))?.slashedWei).to.equal(1n);
    });

    it("27: challenging or reporting oneself always loses (INV-17)", async () => {
      const challenge = await challengeNode(world, alpha, { from: alpha.owner, bondWei: 10n ** 17n });
      await answerChallenge(world, alpha, challenge, { from: alpha.owner });
      const back = await bondCreditOf(world, alpha.owner);
      expect(back < 10n ** 17n, "a part is burned").to.equal(true);
      const { taskId } = await aMissedTask([alpha]);
      await report(taskId, alpha, alpha.owner);
      const held = await world.publicClient.readContract({ ...world.vault, functionName: "held", args: [0n] });
      expect((held.compensationWei + held.challengerWei) * 2n <= held.slashedWei).to.equal(true);
    });

    it("63/64: nobody skips a penalty by closing with little gas", async () => {
      const { taskId } = await aMissedTask([alpha]);
      const refusals = new Set<string>();
      for (let gas = 60_000n; gas < 2_000_000n; gas += 20_000n) {
        const outcome = await report(taskId, alpha, stranger, gas).catch(refusalOf);
        if (typeof outcome === "string") {
          refusals.add(outcome);
          continue;
        }
        expect(penaltyOf(outcome)?.slashedWei, `with ${gas} gas`).to.equal(20n * NGPU_WEI);
        break;
      }
      expect([...refusals]).to.have.members(["out of gas", "PenaltyGasTooLow"]);
      expect((await standing(alpha)).strikes).to.equal(1);
      const wasted = await aWastedReport();
      expect(wasted).to.equal(0n);
    });

    /** Its custom error, or that it had none. */
    const refusalOf = (error: unknown) => codeOf(Promise.reject(error)).catch(() => "out of gas");

    /** A vault that burns all its gas stops neither the strike nor the call. */
    async function aWastedReport() {
      await world.restore();
      const { taskId } = await aMissedTask([alpha]);
      await world.send(world.actors.deployer, world.vault, "setMood", [false, true]);
      const receipt = await report(taskId, alpha, stranger, 15_000_000n);
      return penaltyOf(receipt)?.slashedWei;
    }
  });
});

/** Faults that were excused, decayed or overturned late, and bonds that a relay uses up: contracts/Availability.sol. */
import { after, before, beforeEach, describe, it } from "node:test";
import { limits } from "@ngpu/protocol/limits";
import { expect } from "chai";
import { decodeAbiParameters, parseAbi, parseAbiParameters, parseGwei, toFunctionSelector, type Hex } from "viem";
import { eventsOf } from "./support/chain.ts";
import {
  answerChallenge,
  APPEAL_ROLE,
  availabilityTerms,
  bondCreditOf,
  BURN,
  challengeNode,
  createFaultWorld,
  nextEpochStart,
  stakeOf,
  type FaultWorld,
} from "./support/faults.ts";
import { acceptTask, anAssignedTask, expireTask, hashOf } from "./support/tasks.ts";
import { wordsOf } from "./support/taskWords.ts";
import { NGPU_WEI, type NodeKeys } from "./support/world.ts";

/** Strikes decay within the time of an appeal. */
const terms = { ...availabilityTerms, decaySeconds: 3_600 };
const challengeStatus = { answered: 2 } as const;

describe("Availability at its edges", () => {
  let world: FaultWorld;
  let alpha: NodeKeys;
  let beta: NodeKeys;

  before(async () => {
    const faults = await createFaultWorld();
    const { accessManager, registry, escrow, vault, actors } = faults;
    const parts = [accessManager, registry, escrow, vault].map(({ address }) => address);
    const availability = await faults.deploy("Availability", faults.availability.abi, [...parts, terms]);
    world = { ...faults, availability };
    ({ alpha, beta } = world.nodes);
    await world.send(actors.deployer, vault, "setSlasher", [availability.address, true]);
    const admin = {
      abi: parseAbi(["function setTargetFunctionRole(address target, bytes4[] selectors, uint64 roleId)"]),
      address: accessManager.address,
    };
    const overturning = [availability.address, [toFunctionSelector("overturn(bytes32)")], APPEAL_ROLE] as const;
    await world.send(actors.deployer, admin, "setTargetFunctionRole", overturning);
    await world.remember();
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  const read = () => world.publicClient.readContract;
  const standing = async () =>
    read()({ ...world.availability, functionName: "standingOf", args: [alpha.nodeId] });
  const silentWei = (timestamp: number) =>
    read()({ ...world.availability, functionName: "silentStakeWei", args: [timestamp] });
  const overturn = (faultId: Hex) => world.send(world.arbitrator, world.availability, "overturn", [faultId]);

  /** Tasks that alpha accepted and let expire, just after an epoch has begun. */
  async function missedTasks(count: number): Promise<Hex[]> {
    await world.increaseTo(await nextEpochStart(world));
    const deadline = (await world.now()) + 600;
    const taskIds: Hex[] = [];
    for (let i = 0; i < count; i += 1) {
      const { taskId } = await anAssignedTask(world, { clientNonce: hashOf(`missed ${i}`), deadline });
      await acceptTask(world, taskId, alpha);
      taskIds.push(taskId);
    }
    await world.increaseTo(deadline + limits.settleGraceS);
    for (const taskId of taskIds) await expireTask(world, taskId);
    return taskIds;
  }
  async function report(taskId: Hex | undefined) {
    if (taskId === undefined) throw new Error("there is no such task");
    const { terms, standing } = await wordsOf(world, taskId);
    const missed = { taskId, nodeId: alpha.nodeId, terms, standing };
    const receipt = await world.send(world.actors.stranger, world.availability, "reportMissedTask", [missed]);
    const [recorded] = eventsOf(receipt, world.availability, "FaultRecorded");
    if (recorded === undefined) throw new Error("no fault was recorded");
    return { ...recorded, slashedWei: eventsOf(receipt, world.availability, "PenaltyApplied")[0]?.slashedWei };
  }

  it("excuses a miss while over a fifth of the stake is silent: no slash, and an appeal clears it", async () => {
    await world.setStake(99, 0n);
    const [taskId] = await missedTasks(1);
    const fault = await report(taskId);
    expect(fault).to.deep.include({ excused: true, strikes: 0, slashedWei: undefined });
    expect(await standing()).to.deep.include({ excused: 1, strikes: 0 });
    await overturn(fault.faultId);
    expect(await standing()).to.deep.include({ excused: 0, strikes: 0 });
    expect(await stakeOf(world, alpha)).to.equal(1_000n * NGPU_WEI);
  });

  it("counts a node's stake once in a window: an answer does not take back what a miss counted", async () => {
    await world.setStake(99, 0n);
    const [taskId] = await missedTasks(1);
    const missedAt = await world.now();
    await report(taskId);
    const challenge = await challengeNode(world, alpha);
    expect(await silentWei(missedAt)).to.equal(1_000n * NGPU_WEI);
    await answerChallenge(world, alpha, challenge);
    const stored = await read()({ ...world.availability, functionName: "challenge", args: [challenge.challengeId] });
    expect(stored).to.deep.include({ status: challengeStatus.answered, counted: false });
    expect(await silentWei(missedAt)).to.equal(1_000n * NGPU_WEI);
    expect(await silentWei(0), "the first window has none before it").to.equal(0n);
  });

  it("gives back what an earlier epoch took, and takes no more for it in this one: five percent", async () => {
    const taskIds = await missedTasks(4);
    const first = await report(taskIds[0]);
    expect(first.slashedWei).to.equal(20n * NGPU_WEI);
    await world.increaseTo(await nextEpochStart(world));
    expect((await report(taskIds[1])).slashedWei).to.equal((196n * NGPU_WEI) / 10n);
    await overturn(first.faultId);
    expect((await report(taskIds[2])).slashedWei).to.equal((196n * NGPU_WEI) / 10n);
    expect((await report(taskIds[3])).slashedWei, "the rest of five percent of 980").to.equal((98n * NGPU_WEI) / 10n);
    expect(await stakeOf(world, alpha)).to.equal(951n * NGPU_WEI);
  });

  it("overturns two faults of which time had forgotten one: no strike is left, and all stake is back", async () => {
    const taskIds = await missedTasks(2);
    const first = await report(taskIds[0]);
    await world.increase(terms.decaySeconds);
    const second = await report(taskIds[1]);
    expect([first.strikes, second.strikes]).to.deep.equal([1, 1]);
    for (const { faultId } of [first, second]) await overturn(faultId);
    expect(await standing()).to.deep.include({ strikes: 0, suspendedUntil: 0, bannedUntil: 0 });
    expect(await stakeOf(world, alpha)).to.equal(1_000n * NGPU_WEI);
  });

  it("lists for upkeep what is due behind what was answered", async () => {
    const at = await nextEpochStart(world);
    const answered = await challengeNode(world, alpha, { at });
    const silent = await challengeNode(world, beta);
    await answerChallenge(world, alpha, answered);
    await world.increaseTo(silent.closableAt);
    const [needed, data] = await read()({ ...world.availability, functionName: "checkUpkeep", args: ["0x"] });
    const [ids] = decodeAbiParameters(parseAbiParameters("bytes32[], (bytes32 taskId, uint32 nodeId)[]"), data);
    expect([needed, ids]).to.deep.equal([true, [silent.challengeId]]);
  });

  it("pays a relay no more than the bond: where gas costs more it takes all, and nothing burns", async () => {
    const challenge = await challengeNode(world, alpha, { bondWei: 10n ** 16n });
    const { networkHelpers } = world.connection;
    await networkHelpers.setNextBlockBaseFeePerGas(parseGwei("500"));
    await networkHelpers.mine(1);
    const receipt = await answerChallenge(world, alpha, challenge);
    const [answered] = eventsOf(receipt, world.availability, "LivenessAnswered");
    expect(answered).to.deep.include({ relayWei: 10n ** 16n, burnedWei: 0n, returnedWei: 0n });
    const { otherPayer, stranger } = world.actors;
    expect(await bondCreditOf(world, otherPayer)).to.equal(10n ** 16n);
    expect([await bondCreditOf(world, BURN), await bondCreditOf(world, stranger)]).to.deep.equal([0n, 0n]);
  });
});

/** Disputes at the edges of their time and terms, and what anyone may read of one: contracts/Disputes.sol. */
import { after, before, beforeEach, describe, it } from "node:test";
import { receiptHashOf } from "@ngpu/protocol/taskWords";
import { expect } from "chai";
import { zeroAddress, zeroHash, type Hex } from "viem";
import { eventsOf } from "./support/chain.ts";
import {
  advance,
  aSettledTask,
  commitmentOf,
  commitVote,
  determinism,
  openDispute,
  openOf,
  outcomes,
  passDeadline,
  readDispute,
  rightBody,
  runOut,
  seatCommittee,
  verdicts,
  type Settled,
} from "./support/disputes.ts";
import { bondCreditOf, createFaultWorld, disputeTerms as terms, stakeOf, type FaultWorld } from "./support/faults.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import { hashOf } from "./support/tasks.ts";
import { noHarm } from "./support/taskWords.ts";
import { NGPU_WEI } from "./support/world.ts";

const { bondWei } = terms;
const thorough = { ...terms, sampleBps: 10_000 };

describe("Disputes at their edges", () => {
  /** With a Disputes whose terms sample every receipt. */
  let world: FaultWorld;
  let settled: Settled;
  let sample: { receiptsRoot: Hex; proof: readonly Hex[]; seedEpoch: bigint };

  before(async () => {
    const faults = await createFaultWorld();
    const { accessManager, registry, escrow, vault, listed, seeds, actors } = faults;
    const parts = [accessManager, registry, escrow, vault, listed, seeds].map(({ address }) => address);
    const disputes = await faults.deploy("Disputes", faults.disputes.abi, [...parts, thorough]);
    world = { ...faults, disputes };
    await world.send(actors.deployer, vault, "setSlasher", [disputes.address, true]);
    await world.send(actors.deployer, disputes, "setDeterminism", [hashOf("model"), determinism.exact]);
    settled = await aSettledTask(world, world.nodes.alpha);
    sample = { receiptsRoot: receiptHashOf(settled.receipt), proof: [], seedEpoch: 0n };
    await world.send(actors.keeper, disputes, "anchorReceipts", [sample.receiptsRoot]);
    await world.remember();
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  const reveal = () => world.send(world.actors.deployer, world.seeds, "reveal", [sample.seedEpoch, hashOf("any seed")]);
  const audit = (at?: number) =>
    world.send(world.actors.keeper, world.disputes, "openByAudit", [openOf(settled), sample, noHarm], {
      value: bondWei,
      ...(at === undefined ? {} : { at }),
    });
  const coins = () => world.publicClient.getBalance({ address: world.disputes.address });
  const classOf = (modelId: Hex) =>
    world.publicClient.readContract({ ...world.disputes, functionName: "determinismOf", args: [modelId] });
  const ballotOf = (id: Hex, judge: Hex) =>
    world.publicClient.readContract({ ...world.disputes, functionName: "ballot", args: [id, judge] });

  it("lets a keeper audit to the last second after the seed's reveal, and takes no bond from a later one", async () => {
    const revealed = async () => (await reveal(), (await world.now()) + terms.openSeconds);
    let until = await revealed();
    expect(await revertOf(audit(until + 1))).to.deep.equal({ name: "DisputeTooLate", args: [settled.taskId, until] });
    expect(await coins()).to.equal(0n);
    await world.restore();
    until = await revealed();
    await audit(until);
    expect(await coins()).to.equal(bondWei);
  });

  it("opens no dispute about a fault that was punished: no second bond, no second slash", async () => {
    const id = await openDispute(world, settled);
    await passDeadline(world, id);
    await advance(world, id);
    expect(await runOut(world, id)).to.deep.include({ outcome: outcomes.nodeLoses, slashedWei: 50n * NGPU_WEI });
    const { faultId } = await readDispute(world, id);
    await reveal();
    const { keeper, payer } = world.actors;
    expect(await revertOf(audit())).to.deep.equal({ name: "DisputeKnown", args: [faultId] });
    expect(await stakeOf(world, world.nodes.alpha)).to.equal(950n * NGPU_WEI);
    expect(await bondCreditOf(world, payer, world.disputes), "the opener's bond").to.equal(bondWei);
    expect(await bondCreditOf(world, keeper, world.disputes)).to.equal(0n);
  });

  it("shows anyone terms, classes and each judge's ballot, which says nothing before it is revealed", async () => {
    const read = { ...world.disputes, functionName: "terms" } as const;
    expect(await world.publicClient.readContract(read)).to.deep.equal(thorough);
    expect(await classOf(hashOf("model"))).to.equal(determinism.exact);
    expect(await classOf(hashOf("another"))).to.equal(determinism.none);
    const id = await openDispute(world, settled);
    const [judge = zeroAddress] = await seatCommittee(world, id);
    expect(await ballotOf(id, judge)).to.deep.equal({ seated: true, verdict: 0, commitment: zeroHash });
    const cast = { judge, verdict: verdicts.nodeWrong, body: rightBody };
    await commitVote(world, id, cast);
    expect(await ballotOf(id, judge)).to.deep.equal({
      seated: true,
      verdict: verdicts.none,
      commitment: commitmentOf(id, cast),
    });
    expect((await ballotOf(id, world.actors.stranger)).seated).to.equal(false);
  });

  it("is judged by a committee that has both a selection and bonds, or is not deployed", async () => {
    const { selection, keeperBonds } = world;
    for (const parts of [
      [zeroAddress, keeperBonds.address],
      [selection.address, zeroAddress],
    ]) {
      const deployed = world.deploy("KeeperCommittee", world.committee.abi, parts);
      expect(await codeOf(deployed)).to.equal("CommitteeZeroAddress");
    }
  });
});

/**
 * Disputes about content: contracts/Disputes.sol. Every refusal has a loser, every stage a deadline, and silence
 * everywhere gives every bond back (INV-8).
 */
import { after, before, beforeEach, describe, it } from "node:test";
import { limits } from "@ngpu/protocol/limits";
import { receiptStatus } from "@ngpu/protocol/typedData";
import { receiptHashOf } from "@ngpu/protocol/taskWords";
import { expect } from "chai";
import {
  concat,
  encodeAbiParameters,
  keccak256,
  parseAbiParameters,
  zeroAddress,
  zeroHash,
  type Hex,
} from "viem";
import { eventsOf } from "./support/chain.ts";
import {
  advance,
  aSettledTask,
  committeeRef,
  commitmentOf,
  commitVote,
  determinism,
  draw,
  openDispute,
  openOf,
  outcomes,
  outputBody,
  passDeadline,
  readDispute,
  revealOutput,
  revealVote,
  rightBody,
  runOut,
  seatCommittee,
  stages,
  verdicts,
  vote,
} from "./support/disputes.ts";
import { bondCreditOf, BURN, createFaultWorld, disputeTerms as terms, stakeOf, type FaultWorld } from "./support/faults.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import { aPost, hashOf, postTask, signReceipt } from "./support/tasks.ts";
import { harmOf, noHarm } from "./support/taskWords.ts";
import { NGPU_WEI, type NodeKeys } from "./support/world.ts";

const { bondWei, judgeFeeWei } = terms;

describe("Disputes", () => {
  let world: FaultWorld;
  let alpha: NodeKeys;
  let payer: `0x${string}`;
  let settled: Awaited<ReturnType<typeof aSettledTask>>;

  before(async () => {
    world = await createFaultWorld();
    ({ alpha } = world.nodes);
    ({ payer } = world.actors);
    settled = await aSettledTask(world, alpha);
    await setClass(determinism.exact);
    await world.remember();
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  const setClass = (kind: number) =>
    world.send(world.actors.deployer, world.disputes, "setDeterminism", [hashOf("model"), kind]);
  const credit = (account: `0x${string}`) => bondCreditOf(world, account, world.disputes);
  const stageOf = async (id: Hex) => (await readDispute(world, id)).stage;
  const held = (slashId: bigint) =>
    world.publicClient.readContract({ ...world.vault, functionName: "held", args: [slashId] });
  const coins = () => world.publicClient.getBalance({ address: world.disputes.address });
  const appeal = (id: Hex, from = world.actors.stranger, value = bondWei) =>
    world.send(from, world.disputes, "appeal", [id], { value });
  const arbitrate = (id: Hex, outcome: number, from = world.arbitrator) =>
    world.send(from, world.disputes, "arbitrate", [id, outcome]);
  const wrong = (judges: readonly `0x${string}`[]) =>
    judges.map((judge) => ({ judge, verdict: verdicts.nodeWrong, body: rightBody }));
  const right = (judges: readonly `0x${string}`[]) =>
    judges.map((judge) => ({ judge, verdict: verdicts.nodeRight, body: outputBody }));

  describe("behaviour", () => {
    it("slashes a wrong result by a drawn committee, pays its judges, compensates the payer", async () => {
      const id = await openDispute(world, settled);
      const judges = await seatCommittee(world, id);
      expect(judges.length).to.equal(3);
      await vote(world, id, wrong(judges));
      await advance(world, id);
      expect(await readDispute(world, id)).to.deep.include({ stage: stages.ruled, ruling: outcomes.nodeLoses });
      const closed = await runOut(world, id);
      expect(closed).to.deep.include({
        outcome: outcomes.nodeLoses,
        judgeFeesWei: 3n * judgeFeeWei,
        slashedWei: 50n * NGPU_WEI,
      });
      expect(await held(0n)).to.deep.include({
        compensated: payer,
        compensationWei: 137n * 2_000_000_000_000n,
        challenger: payer,
        challengerWei: 5n * NGPU_WEI,
      });
      for (const judge of judges) expect(await credit(judge)).to.equal(judgeFeeWei);
      expect(await credit(payer)).to.equal(bondWei - 3n * judgeFeeWei);
      expect(await stakeOf(world, alpha)).to.equal(950n * NGPU_WEI);
      for (const account of [payer, ...judges]) {
        await world.send(world.actors.stranger, world.disputes, "payBondCredit", [account]);
      }
      expect(await coins(), "INV-1").to.equal(0n);
    });

    it("burns the bond of a payer who disputes a right result, less the fees of those who said so", async () => {
      const id = await openDispute(world, settled);
      const judges = await seatCommittee(world, id);
      const [first, ...rest] = judges;
      if (first === undefined) throw new Error("no judge");
      await vote(world, id, [...wrong([first]), ...right(rest)]);
      await advance(world, id);
      expect(await runOut(world, id)).to.deep.include({ outcome: outcomes.openerLoses, slashedWei: 0n });
      expect(await credit(BURN)).to.equal(bondWei - 2n * judgeFeeWei);
      expect([await credit(payer), await credit(first)]).to.deep.equal([0n, 0n]);
      expect(await stakeOf(world, alpha)).to.equal(1_000n * NGPU_WEI);
    });

    it("compares equal results itself: EXACT decides by the hash, whatever a judge calls it", async () => {
      const equal = await openDispute(world, settled, { claimed: outputBody });
      await revealOutput(world, equal);
      expect(await readDispute(world, equal)).to.deep.include({ stage: stages.ruled, ruling: outcomes.openerLoses });

      await world.restore();
      const id = await openDispute(world, settled);
      const judges = await seatCommittee(world, id);
      await vote(world, id, judges.map((judge) => ({ judge, verdict: verdicts.nodeWrong, body: outputBody })));
      await advance(world, id);
      expect((await readDispute(world, id)).ruling).to.equal(outcomes.openerLoses);
    });

    it("leaves TOLERANCE and TOPK to the committee's word, also where the opener's result is the same", async () => {
      for (const kind of [determinism.tolerance, determinism.topK]) {
        await world.restore();
        await setClass(kind);
        const id = await openDispute(world, settled, { claimed: outputBody });
        const judges = await seatCommittee(world, id);
        await vote(world, id, judges.map((judge) => ({ judge, verdict: verdicts.nodeWrong, body: outputBody })));
        await advance(world, id);
        expect((await readDispute(world, id)).ruling).to.equal(outcomes.nodeLoses);
      }
    });

    it("keeps the class that the model had when the dispute was opened (class 29, INV-12)", async () => {
      const id = await openDispute(world, settled);
      await setClass(determinism.none);
      expect((await readDispute(world, id)).determinism).to.equal(determinism.exact);
      const judges = await seatCommittee(world, id);
      await vote(world, id, wrong(judges));
      await advance(world, id);
      expect((await readDispute(world, id)).ruling).to.equal(outcomes.nodeLoses);
      await world.send(world.actors.deployer, world.feed, "push", [50_000_000n]);
      const again = await aSettledTask(world, world.nodes.beta, "later");
      expect(await codeOf(openDispute(world, again))).to.equal("DisputeNotComparable");
    });

    it("lets a keeper audit what the seed samples, once the receipt was anchored before the seed", async () => {
      const { keeper, stranger } = world.actors;
      const hash = receiptHashOf(settled.receipt);
      const sibling = hashOf("another receipt");
      const root = keccak256(hash < sibling ? concat([hash, sibling]) : concat([sibling, hash]));
      await world.send(world.actors.deployer, world.seeds, "reveal", [6n, hashOf("former")]);
      await world.send(stranger, world.disputes, "anchorReceipts", [root]);
      const sampling = seedThat(true, settled.taskId);
      await world.send(world.actors.deployer, world.seeds, "reveal", [7n, sampling]);
      const sample = { receiptsRoot: root, proof: [sibling], seedEpoch: 7n };
      const harm = await harmOf(world, settled.taskId);
      const open = (from: `0x${string}`, by = sample) =>
        world.send(from, world.disputes, "openByAudit", [openOf(settled), by, harm], { value: bondWei });

      expect(await codeOf(open(stranger))).to.equal("DisputeNotOpener");
      expect(await codeOf(open(keeper, { ...sample, seedEpoch: 6n })), "an older seed").to.equal("DisputeNotSampled");
      await world.send(world.actors.deployer, world.seeds, "reveal", [8n, sampling]);
      expect(await codeOf(open(keeper, { ...sample, seedEpoch: 8n })), "a later seed").to.equal("DisputeNotSampled");
      expect(await codeOf(open(keeper, { ...sample, proof: [] })), "no proof").to.equal("DisputeNotSampled");
      expect(await codeOf(open(keeper, { ...sample, receiptsRoot: hash })), "no anchor").to.equal("DisputeNotSampled");
      await world.send(world.actors.deployer, world.seeds, "reveal", [7n, seedThat(false, settled.taskId)]);
      expect(await codeOf(open(keeper)), "not sampled").to.equal("DisputeNotSampled");
      await world.send(world.actors.deployer, world.seeds, "reveal", [7n, sampling]);
      const receipt = await open(keeper);
      const id = eventsOf(receipt, world.disputes, "DisputeOpened")[0]?.disputeId ?? zeroHash;
      expect((await readDispute(world, id)).opener).to.equal(keeper);
      await world.restore();
    });

    it("samples about the share of tasks that the terms say", async () => {
      let sampled = 0;
      for (let i = 0; i < 2_000; i += 1) if (samples(hashOf("seed"), hashOf(String(i)))) sampled += 1;
      expect(sampled).to.be.within(300, 500);
    });
  });

  describe("refusals and their losers", () => {
    it("node that does not open its output: loses by default, unless the arbitrator finds otherwise", async () => {
      const id = await openDispute(world, settled);
      await passDeadline(world, id);
      expect(await codeOf(revealOutput(world, id)), "late").to.equal("DisputeWrongStage");
      await advance(world, id);
      expect(await readDispute(world, id)).to.deep.include({ stage: stages.ruled, ruling: outcomes.nodeLoses });
      expect(await runOut(world, id)).to.deep.include({ outcome: outcomes.nodeLoses, slashedWei: 50n * NGPU_WEI });
      expect(await credit(payer), "no judge was paid").to.equal(bondWei);
    });

    it("payer that wraps no keys: loses its bond", async () => {
      const id = await openDispute(world, settled);
      await revealOutput(world, id);
      await draw(world, id);
      await passDeadline(world, id);
      await advance(world, id);
      expect(await runOut(world, id)).to.deep.include({ outcome: outcomes.openerLoses, slashedWei: 0n });
      expect(await credit(BURN)).to.equal(bondWei);
    });

    it("payer that wraps garbage: the judges call it unreadable, and it loses its bond", async () => {
      const id = await openDispute(world, settled);
      const judges = await seatCommittee(world, id);
      await vote(world, id, judges.map((judge) => ({ judge, verdict: verdicts.unreadable })));
      await advance(world, id);
      expect(await runOut(world, id)).to.deep.include({ outcome: outcomes.openerLoses });
      expect(await credit(BURN)).to.equal(bondWei - 3n * judgeFeeWei);
    });

    it("payer that opens another input than it posted: cannot open at all", async () => {
      const params = { ...openOf(settled), inputBodyHash: hashOf("another input") };
      const act = world.send(payer, world.disputes, "openByPayer", [params, await harmOf(world, settled.taskId)], {
        value: bondWei,
      });
      expect(await codeOf(act)).to.equal("DisputePreimageWrong");
    });

    it("payer that brings another task's words, or its own of another payer: cannot open at all", async () => {
      const other = await aSettledTask(world, world.nodes.beta, "another task");
      const mine = await harmOf(world, settled.taskId);
      const lies = [
        await harmOf(world, other.taskId),
        noHarm,
        { ...mine, terms: { ...mine.terms, payer: world.actors.stranger } },
        { ...mine, settlement: { ...mine.settlement, amountUsd6: 1_000n } },
      ];
      for (const harm of lies) {
        const act = world.send(payer, world.disputes, "openByPayer", [openOf(settled), harm], { value: bondWei });
        expect(await codeOf(act)).to.equal("DisputeReceiptInvalid");
      }
    });

    it("judges that commit and do not reveal: are not paid; too few reveals go to the arbitrator", async () => {
      const id = await openDispute(world, settled);
      const judges = await seatCommittee(world, id);
      for (const cast of wrong(judges)) await commitVote(world, id, cast);
      await passDeadline(world, id);
      const [only] = wrong(judges);
      if (only === undefined) throw new Error("no judge");
      await revealVote(world, id, only);
      await world.increase(terms.revealSeconds + 1);
      await advance(world, id);
      expect(await stageOf(id)).to.equal(stages.arbitrating);
      const receipt = await arbitrate(id, outcomes.nodeLoses);
      const [closed] = eventsOf(receipt, world.disputes, "DisputeClosed");
      // The arbitrator alone takes what a committee may: bribing judges saves nothing.
      expect(closed).to.deep.include({ slashedWei: 50n * NGPU_WEI, judgeFeesWei: judgeFeeWei });
    });

    it("everybody silent: the dispute ends by time alone and every bond goes back (INV-8)", async () => {
      const id = await openDispute(world, settled);
      await revealOutput(world, id);
      await world.increase(terms.drawSeconds + 1);
      await advance(world, id);
      expect(await stageOf(id)).to.equal(stages.arbitrating);
      expect(await runOut(world, id)).to.deep.include({ outcome: outcomes.lapsed, slashedWei: 0n, judgeFeesWei: 0n });
      expect(await credit(payer)).to.equal(bondWei);
      expect(await codeOf(advance(world, id))).to.equal("DisputeNothingDue");
      expect(await stakeOf(world, alpha)).to.equal(1_000n * NGPU_WEI);
    });

    it("committee that sits and says nothing: the arbitrator has it, then it lapses", async () => {
      const id = await openDispute(world, settled);
      await seatCommittee(world, id);
      await passDeadline(world, id);
      await advance(world, id);
      expect(await stageOf(id)).to.equal(stages.arbitrating);
      expect((await runOut(world, id))?.outcome).to.equal(outcomes.lapsed);
      expect(await credit(payer)).to.equal(bondWei);
    });

    it("arbitrator that is silent: the ruling stands and the appellant has its bond back", async () => {
      const { stranger } = world.actors;
      const id = await ruledAgainstNode();
      await appeal(id);
      expect(await stageOf(id)).to.equal(stages.arbitrating);
      expect(await runOut(world, id)).to.deep.include({ outcome: outcomes.nodeLoses, slashedWei: 50n * NGPU_WEI });
      expect(await credit(stranger)).to.equal(bondWei);
    });

    it("appellant whose ruling is confirmed: loses its bond; one that is overturned: has it back", async () => {
      const { stranger } = world.actors;
      const id = await ruledAgainstNode();
      await appeal(id);
      const receipt = await arbitrate(id, outcomes.nodeLoses);
      const [closed] = eventsOf(receipt, world.disputes, "DisputeClosed");
      expect(closed?.slashedWei, "what the committee ruled").to.equal(50n * NGPU_WEI);
      expect([await credit(BURN), await credit(stranger)]).to.deep.equal([bondWei, 0n]);

      await world.restore();
      const other = await ruledAgainstNode();
      await appeal(other);
      await arbitrate(other, outcomes.openerLoses);
      expect([await credit(BURN), await credit(stranger)]).to.deep.equal([bondWei, bondWei]);
      expect(await stakeOf(world, alpha)).to.equal(1_000n * NGPU_WEI);
    });
  });

  describe("error", () => {
    it("opens nothing that is not the caller's, not settled, not billed, not comparable, late or cheap", async () => {
      const { otherPayer } = world.actors;
      expect(await codeOf(openDispute(world, settled, { from: otherPayer }))).to.equal("DisputeNotOpener");
      for (const value of [0n, bondWei - 1n, bondWei + 1n]) {
        expect(await codeOf(openDispute(world, settled, { value }))).to.equal("DisputeBondWrong");
      }
      const open = await postTask(world, { change: await aPost(world, { clientNonce: hashOf("open") }) });
      const early = { ...settled, receipt: { ...settled.receipt, taskId: open.taskId } };
      expect(await codeOf(openDispute(world, early))).to.equal("DisputeReceiptInvalid");
      const changes = [
        [{ modelId: hashOf("other model") }, "DisputeReceiptInvalid"],
        [{ status: receiptStatus.modelFailed }, "DisputeReceiptInvalid"],
      ] as const;
      for (const [change, code] of changes) {
        const message = { ...settled.receipt, ...change };
        const { signature } = await signReceipt(world, message, alpha.operator);
        expect(await codeOf(openDispute(world, { ...settled, receipt: message, signature }))).to.equal(code);
      }
      const forged = await signReceipt(world, settled.receipt, world.nodes.beta.operator);
      const foreign = openDispute(world, { ...settled, signature: forged.signature });
      expect(await codeOf(foreign)).to.equal("ReceiptSignerInvalid");
      await setClass(determinism.none);
      expect(await codeOf(openDispute(world, settled))).to.equal("DisputeNotComparable");
      await setClass(determinism.exact);
      const until = settled.post.deadline + limits.settleGraceS + terms.openSeconds;
      expect(await codeOf(openDispute(world, settled, { at: until + 1 }))).to.equal("DisputeTooLate");
    });

    it("takes acts in their stage and by those whose they are, each once", async () => {
      const { stranger } = world.actors;
      const id = await openDispute(world, settled);
      const judge = world.judges[0] ?? zeroAddress;
      const cast = { judge, verdict: verdicts.nodeWrong, body: rightBody };
      const early: (() => Promise<unknown>)[] = [
        () => draw(world, id),
        () => world.send(payer, world.disputes, "publishKeys", [id, hashOf("wraps")]),
        () => commitVote(world, id, cast),
        () => revealVote(world, id, cast),
        () => appeal(id),
        () => arbitrate(id, outcomes.nodeLoses),
        () => revealOutput(world, hashOf("no dispute")),
      ];
      for (const act of early) expect(await codeOf(act())).to.equal("DisputeWrongStage");
      expect(await codeOf(advance(world, id))).to.equal("DisputeNothingDue");
      expect(await codeOf(revealOutput(world, id, hashOf("another output")))).to.equal("DisputePreimageWrong");
      await revealOutput(world, id);
      expect(await codeOf(world.send(stranger, world.disputes, "drawCommittee", [id]))).to.equal("DisputeDrawTooEarly");
      const judges = await draw(world, id);
      const byStranger = world.send(stranger, world.disputes, "publishKeys", [id, zeroHash]);
      expect(await codeOf(byStranger)).to.equal("DisputeNotOpener");
      await world.send(payer, world.disputes, "publishKeys", [id, hashOf("wraps")]);
      const [first, second] = wrong(judges);
      if (first === undefined || second === undefined) throw new Error("too few judges");
      const outsider = { ...first, judge: stranger };
      expect(await codeOf(commitVote(world, id, outsider))).to.equal("DisputeVoteInvalid");
      await commitVote(world, id, first);
      expect(await codeOf(commitVote(world, id, first))).to.equal("DisputeVoteInvalid");
      const empty = world.send(second.judge, world.disputes, "commitVerdict", [id, zeroHash]);
      expect(await codeOf(empty)).to.equal("DisputeVoteInvalid");
      // A copied commitment opens for nobody but its author.
      await world.send(second.judge, world.disputes, "commitVerdict", [id, commitmentOf(id, first)]);
      await passDeadline(world, id);
      const refused = [
        { ...first, body: outputBody },
        { ...first, verdict: verdicts.nodeRight },
        { ...first, judge: second.judge },
        outsider,
      ];
      for (const other of refused) expect(await codeOf(revealVote(world, id, other))).to.equal("DisputeVoteInvalid");
      await revealVote(world, id, first);
      expect(await codeOf(revealVote(world, id, first)), "twice").to.equal("DisputeVoteInvalid");
    });

    it("lets only the appeal role arbitrate, in time, and only the policy role name classes and judges", async () => {
      const { stranger, keeper } = world.actors;
      const id = await ruledAgainstNode();
      expect(await codeOf(appeal(id, stranger, bondWei - 1n))).to.equal("DisputeBondWrong");
      await appeal(id);
      expect(await codeOf(arbitrate(id, outcomes.lapsed, stranger))).to.equal("AccessManagedUnauthorized");
      expect(await codeOf(arbitrate(id, outcomes.none))).to.equal("DisputeWrongStage");
      await passDeadline(world, id);
      expect(await codeOf(arbitrate(id, outcomes.lapsed))).to.equal("DisputeWrongStage");
      const named = world.send(keeper, world.disputes, "setDeterminism", [hashOf("model"), 1]);
      expect(await codeOf(named)).to.equal("AccessManagedUnauthorized");
    });

    it("appeals a ruling until its deadline and not after", async () => {
      const id = await ruledAgainstNode();
      await passDeadline(world, id);
      expect(await codeOf(appeal(id))).to.equal("DisputeWrongStage");
    });

    it("arms the draw again when its block is forgotten, and gives a committee that is too small to the arbitrator", async () => {
      const id = await openDispute(world, settled);
      await revealOutput(world, id);
      for (let i = 0; i < 260; i += 1) await world.increase(1);
      const receipt = await world.send(payer, world.disputes, "drawCommittee", [id]);
      expect(eventsOf(receipt, world.disputes, "DrawRepeated").length).to.equal(1);
      for (const member of world.judges.slice(1)) {
        await world.send(world.actors.deployer, committeeRef(world), "removeMember", [member]);
      }
      expect(await draw(world, id)).to.deep.equal([]);
      expect(await stageOf(id)).to.equal(stages.arbitrating);
    });

    it("seats no party to the dispute", async () => {
      const { deployer } = world.actors;
      for (const member of world.judges.slice(2)) {
        await world.send(deployer, committeeRef(world), "removeMember", [member]);
      }
      for (const party of [payer, alpha.owner, alpha.operator.address, alpha.payout]) {
        await world.send(deployer, committeeRef(world), "addMember", [party]);
      }
      const id = await openDispute(world, settled);
      await revealOutput(world, id);
      const judges = await draw(world, id);
      for (const judge of judges) expect(world.judges.slice(0, 2)).to.include(judge);
    });

    it("cannot be deployed with terms that do not fit each other or the thaw", async () => {
      const { accessManager, registry, escrow, vault, committee, seeds } = world;
      const parts = [accessManager, registry, escrow, vault, committee, seeds].map(({ address }) => address);
      const changes = [
        { committeeSize: 0 },
        { committeeSize: 16, bondWei: 10n ** 18n },
        { quorum: 0 },
        { quorum: 4 },
        { judgeFeeWei: 0n },
        { bondWei: 6n * judgeFeeWei - 1n },
        { minimumSlashableWei: 0n },
        { sampleBps: 10_001 },
        { arbitrationSeconds: 14 * 86_400 },
        ...(["open", "node", "draw", "wrap", "commit", "reveal", "appeal", "arbitration"] as const).map((name) => ({
          [`${name}Seconds`]: 0,
        })),
      ];
      for (const change of changes) {
        const deployed = world.deploy("Disputes", world.disputes.abi, [...parts, { ...terms, ...change }]);
        expect(await codeOf(deployed), JSON.stringify(Object.keys(change))).to.equal("DisputeTermsInvalid");
      }
      for (const place of [4, 5]) {
        const deployed = world.deploy("Disputes", world.disputes.abi, [...parts.with(place, zeroAddress), terms]);
        expect(await codeOf(deployed), "no committee, no seeds").to.equal("DisputeTermsInvalid");
      }
    });
  });

  describe("bug classes", () => {
    it("5: a dispute ends before the stake it is about can have left (INV-5)", async () => {
      const longest = await world.publicClient.readContract({ ...world.disputes, functionName: "longestSeconds" });
      expect(longest <= 14 * 86_400).to.equal(true);
    });

    it("6: the slash is a share of the stake when the dispute was opened, and one fault is slashed once", async () => {
      await world.send(world.actors.keeper, world.disputes, "anchorReceipts", [receiptHashOf(settled.receipt)]);
      await world.send(world.actors.deployer, world.seeds, "reveal", [0n, seedThat(true, settled.taskId)]);
      const sample = { receiptsRoot: receiptHashOf(settled.receipt), proof: [], seedEpoch: 0n };
      const audit = [openOf(settled), sample, await harmOf(world, settled.taskId)] as const;
      const receipt = await world.send(world.actors.keeper, world.disputes, "openByAudit", audit, { value: bondWei });
      const auditId = eventsOf(receipt, world.disputes, "DisputeOpened")[0]?.disputeId ?? zeroHash;
      const id = await openDispute(world, settled);
      await world.setStake(alpha.nodeId, 400n);
      await world.increase(terms.nodeSeconds + 1);
      await advance(world, id);
      await advance(world, auditId);
      expect((await runOut(world, id))?.slashedWei).to.equal(50n * NGPU_WEI);
      const second = await advance(world, auditId);
      expect(eventsOf(second, world.disputes, "DisputeClosed")[0]).to.deep.include({
        outcome: outcomes.nodeLoses,
        slashedWei: 0n,
      });
      expect(await credit(world.actors.keeper), "and still has its bond back").to.equal(bondWei);
    });

    it("26: no dispute about dust, no bond below what its judges cost", async () => {
      await world.setStake(alpha.nodeId, 99n);
      expect(await codeOf(openDispute(world, settled))).to.equal("DisputeStakeTooSmall");
      expect(bondWei >= 2n * BigInt(terms.committeeSize) * judgeFeeWei).to.equal(true);
    });

    it("28: a lost dispute shields its node from nobody else's, and a new fault is a new dispute", async () => {
      const id = await openDispute(world, settled, { claimed: outputBody });
      await revealOutput(world, id);
      expect(await codeOf(openDispute(world, settled))).to.equal("DisputeKnown");
      await world.restore();
      const first = await openDispute(world, settled);
      const audit = { receiptsRoot: receiptHashOf(settled.receipt), proof: [], seedEpoch: 0n };
      await world.send(world.actors.keeper, world.disputes, "anchorReceipts", [audit.receiptsRoot]);
      await world.send(world.actors.deployer, world.seeds, "reveal", [0n, seedThat(true, settled.taskId)]);
      const args = [openOf(settled), audit, noHarm] as const;
      await world.send(world.actors.keeper, world.disputes, "openByAudit", args, { value: bondWei });
      const other = await aSettledTask(world, alpha, "second task");
      const second = await openDispute(world, other);
      expect(second).to.not.equal(first);
      expect(await codeOf(world.send(payer, world.disputes, "anchorReceipts", [audit.receiptsRoot]))).to.equal(
        "DisputeAnchorInvalid",
      );
    });

    it("2, 3: no vault that refuses keeps a dispute open or a bond in it", async () => {
      const id = await openDispute(world, settled);
      await passDeadline(world, id);
      await advance(world, id);
      await world.send(world.actors.deployer, world.vault, "setMood", [true, false]);
      expect(await runOut(world, id)).to.deep.include({ outcome: outcomes.nodeLoses, slashedWei: 0n });
      expect(await credit(payer)).to.equal(bondWei);
    });
  });

  async function ruledAgainstNode(): Promise<Hex> {
    const id = await openDispute(world, settled);
    await passDeadline(world, id);
    const receipt = await advance(world, id);
    expect(eventsOf(receipt, world.disputes, "DisputeRuled")[0]?.ruling).to.equal(outcomes.nodeLoses);
    return id;
  }

  /** A seed that samples the task, or one that does not. */
  function seedThat(hits: boolean, taskId: Hex): Hex {
    for (let i = 0; ; i += 1) {
      const seed = hashOf(`seed ${i}`);
      if (samples(seed, taskId) === hits) return seed;
    }
  }

  function samples(seed: Hex, taskId: Hex): boolean {
    const encoded = encodeAbiParameters(parseAbiParameters("bytes32 seed, bytes32 taskId"), [seed, taskId]);
    return BigInt(keccak256(encoded)) < ((2n ** 256n - 1n) / 10_000n) * BigInt(terms.sampleBps);
  }

  it("says which revert it is when a stage is wrong", async () => {
    const id = await openDispute(world, settled);
    expect(await revertOf(appeal(id))).to.deep.equal({ name: "DisputeWrongStage", args: [id, stages.opened] });
  });
});

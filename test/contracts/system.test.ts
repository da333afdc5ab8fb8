/**
 * The parts as one system, as NgpuLocal deploys them: what one contract finds reaches the others. Nothing here stands
 * in for anything.
 */
import { after, before, beforeEach, describe, it } from "node:test";
import { limits } from "@ngpu/protocol/limits";
import { sessionIdOf } from "@ngpu/protocol/session/voucherChain";
import { maxBillUsd6, mostCums } from "@ngpu/protocol/units";
import { taskStatus } from "@ngpu/protocol/taskStatus";
import { receiptHashOf } from "@ngpu/protocol/taskWords";
import { expect } from "chai";
import {
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  keccak256,
  parseAbi,
  parseAbiParameters,
  zeroHash,
  type Address,
  type Hex,
} from "viem";
import ngpu from "../../ignition/modules/Ngpu.ts";
import { eventsOf } from "./support/chain.ts";
import {
  advance as advanceDispute,
  aSettledTask,
  determinism,
  draw as drawJudges,
  openDispute,
  openOf,
  outcomes,
  readDispute,
  revealOutput,
  rightBody,
  runOut,
  seatCommittee,
  stages,
  verdicts,
  vote,
  type Settled,
} from "./support/disputes.ts";
import { challengeNode } from "./support/faults.ts";
import { noPermit } from "./support/permit.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import { createSelectionWorld, KEEPER_POOL, MODEL, phase, type SelectionWorld } from "./support/selection.ts";
import { billOn, bookOf, exec, role as laneRole, signer } from "./support/sessions.ts";
import {
  acceptTask,
  anAssignedTask,
  aPost,
  assignTask,
  expireTask,
  hashOf,
  postTask,
  readTask,
  settleTask,
} from "./support/tasks.ts";
import { harmOf, wordsOf } from "./support/taskWords.ts";
import { CHAIN_ID, NGPU_WEI, USD6, type NodeKeys } from "./support/world.ts";

const nodeState = { active: 0, suspended: 2 } as const;
const roles = { admin: 0n, policy: 2n, appeal: 4n, pauser: 5n, guardian: 6n, roleAdmin: 8n } as const;
const managerAbi = parseAbi([
  "function hasRole(uint64 roleId, address account) view returns (bool, uint32)",
  "function getRoleAdmin(uint64 roleId) view returns (uint64)",
  "function execute(address target, bytes data) payable returns (uint32)",
]);
const SAMPLE_BPS = 2_500n;
const BOND_WEI = 10n ** 16n;
const DAY_S = 86_400;

describe("System", () => {
  let world: SelectionWorld;
  let alpha: NodeKeys;
  let beta: NodeKeys;
  let payer: Address;
  let deployer: Address;
  let stranger: Address;

  before(async () => {
    world = await createSelectionWorld();
    ({ alpha, beta } = world.nodes);
    ({ payer, deployer, stranger } = world.actors);
    // The rest of the network, so that one silent node is no fifth of it.
    await world.send(beta.owner, world.stakeVault, "stake", [beta.nodeId, 9_000n * NGPU_WEI]);
    await world.send(deployer, world.disputes, "setDeterminism", [MODEL, determinism.exact]);
    await world.openEpoch();
    await world.send(deployer, world.feed, "push", [50_000_000n]);
    await world.remember();
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  const stateOf = ({ nodeId }: NodeKeys) =>
    world.publicClient.readContract({ ...world.registry, functionName: "stateOf", args: [nodeId] });
  const weightNow = ({ nodeId }: NodeKeys, pool: Hex = MODEL) =>
    world.publicClient.readContract({ ...world.selection, functionName: "currentWeightOf", args: [pool, nodeId] });
  const qualityOf = async ({ nodeId }: NodeKeys) =>
    (await world.publicClient.readContract({ ...world.scoreBoard, functionName: "factorsOf", args: [nodeId] }))[1];
  const slashableOf = ({ nodeId }: NodeKeys) =>
    world.publicClient.readContract({ ...world.stakeVault, functionName: "slashableOf", args: [nodeId] });
  const slashOf = (slashId: bigint) =>
    world.publicClient.readContract({ ...world.stakeVault, functionName: "slashOf", args: [slashId] });
  const stakeCreditOf = (account: Address) =>
    world.publicClient.readContract({ ...world.stakeVault, functionName: "creditOf", args: [account] });
  const totalSupply = () => world.publicClient.readContract({ ...world.ngpu, functionName: "totalSupply" });
  const standingOf = ({ nodeId }: NodeKeys) =>
    world.publicClient.readContract({ ...world.availability, functionName: "standingOf", args: [nodeId] });

  /** A challenge that the node does not answer. Returns the fault's id and what it cost. */
  async function beSilent(node: NodeKeys) {
    const { challengeId, closableAt } = await challengeNode(world, node);
    const close = world.send(stranger, world.availability, "closeChallenge", [challengeId], { at: closableAt });
    const [penalty] = eventsOf(await close, world.availability, "PenaltyApplied");
    if (penalty === undefined) throw new Error("nothing was punished");
    return penalty;
  }

  /** The next strike: after the suspension, in an epoch of its own. */
  async function beSilentAgain(node: NodeKeys) {
    await world.increaseTo((await standingOf(node)).suspendedUntil);
    return beSilent(node);
  }

  describe("availability and selection", () => {
    it("takes a silent node out of assignments and draws, and lets it back with less quality", async () => {
      const before = await weightNow(alpha);
      await world.toUpdate();
      const penalty = await beSilent(alpha);
      expect(penalty.qualityBps).to.equal(8_000);
      expect(await stateOf(alpha)).to.equal(nodeState.suspended);
      expect(await weightNow(alpha)).to.equal(0);
      const { taskId } = await postTask(world);
      expect(await codeOf(assignTask(world, taskId))).to.equal("TaskNodeNotEligible");

      await world.refresh(MODEL, alpha.nodeId);
      await world.increase(30);
      await world.advance();
      await world.connection.networkHelpers.mine(1);
      await world.advance();
      expect(await world.draw(hashOf("anything"), 3)).to.have.length(2).and.not.to.include(alpha.nodeId);

      await world.increaseTo(Math.max(penalty.suspendedUntil, (await world.now()) + 1));
      expect(await stateOf(alpha)).to.equal(nodeState.active);
      expect(await qualityOf(alpha)).to.equal(2_000);
      expect([before, await weightNow(alpha)]).to.deep.equal([25, 20]);
    });

    it("draws no banned node, and takes stake from the third strike on", async () => {
      await beSilent(alpha);
      const second = await beSilentAgain(alpha);
      expect(second.slashedWei).to.equal(0n);
      await world.increaseTo(second.suspendedUntil);
      expect(await stateOf(alpha)).to.equal(nodeState.active);
      expect([await qualityOf(alpha), await weightNow(alpha)], "banned").to.deep.equal([0, 0]);
      await world.increaseTo(second.bannedUntil);
      expect([await qualityOf(alpha), await weightNow(alpha)], "after the ban").to.deep.equal([1_500, 15]);
      const third = await beSilent(alpha);
      expect(third.slashedWei).to.equal(5n * NGPU_WEI);
      expect(await slashableOf(alpha)).to.equal(995n * NGPU_WEI);
    });

    it("takes strike, suspension and slash back together when an appeal succeeds", async () => {
      await beSilent(alpha);
      await beSilentAgain(alpha);
      const { faultId } = await beSilentAgain(alpha);
      expect(await slashableOf(alpha)).to.equal(995n * NGPU_WEI);
      await world.send(deployer, world.availability, "overturn", [faultId]);
      expect(await slashableOf(alpha)).to.equal(1_000n * NGPU_WEI);
      expect((await standingOf(alpha)).strikes).to.equal(2);
    });

    it("pays a payer for a task that was accepted and missed, out of the node's stake", async () => {
      const { taskId, post } = await anAssignedTask(world);
      await acceptTask(world, taskId, alpha);
      await world.increaseTo(post.deadline + limits.settleGraceS);
      await expireTask(world, taskId);
      const { terms, standing } = await wordsOf(world, taskId);
      const missed = { taskId, nodeId: alpha.nodeId, terms, standing };
      const receipt = await world.send(stranger, world.availability, "reportMissedTask", [missed]);
      const [penalty] = eventsOf(receipt, world.availability, "PenaltyApplied");
      expect(penalty?.slashedWei).to.equal(20n * NGPU_WEI);
      expect(await stateOf(alpha)).to.equal(nodeState.suspended);
      const slashId = penalty?.slashId ?? 0n;
      await world.increaseTo((await slashOf(slashId)).payableAt + 1);
      await world.send(stranger, world.stakeVault, "finishSlash", [slashId]);
      // 137 base units at half a dollar per NGPU.
      expect(await stakeCreditOf(payer)).to.equal(137n * 2_000_000_000_000n);
      expect(await stakeCreditOf(stranger)).to.equal(2n * NGPU_WEI);
    });
  });

  describe("disputes, keepers and stake", () => {
    const judgeOf = (index: number): Address => world.keepers[index]?.account.address ?? stranger;
    const everyKeeper = (): Address[] => world.keepers.map((_, index) => judgeOf(index));
    const wrong = (judges: readonly Address[]) =>
      judges.map((judge) => ({ judge, verdict: verdicts.nodeWrong, body: rightBody }));

    /** A dispute that the committee decided against alpha and nobody appealed. */
    async function lostDispute(settled: Settled) {
      const id = await openDispute(world, settled);
      const judges = await seatCommittee(world, id);
      await vote(world, id, wrong(judges));
      await advanceDispute(world, id);
      return { id, judges };
    }

    it("seats bonded keepers by their draw, and slashes a wrong result in the stake vault", async () => {
      const settled = await aSettledTask(world, alpha);
      const { id, judges } = await lostDispute(settled);
      expect(judges).to.have.members(everyKeeper());
      const closed = await runOut(world, id);
      expect(closed).to.deep.include({ outcome: outcomes.nodeLoses, slashedWei: 50n * NGPU_WEI });
      expect(await slashableOf(alpha)).to.equal(950n * NGPU_WEI);

      const slashId = closed?.slashId ?? 0n;
      const supply = await totalSupply();
      await world.increaseTo((await slashOf(slashId)).payableAt + 1);
      await world.send(stranger, world.stakeVault, "finishSlash", [slashId]);
      // The task's maximum and, for showing the fault, a tenth.
      const harmWei = 137n * 2_000_000_000_000n;
      expect(await stakeCreditOf(payer)).to.equal(harmWei + 5n * NGPU_WEI);
      expect(await slashableOf(alpha)).to.equal(950n * NGPU_WEI);
      expect(supply - (await totalSupply()), "the rest burns").to.equal(45n * NGPU_WEI - harmWei);
    });

    it("gives everything back when the slash is reversed, and when the arbitrator reverses the ruling", async () => {
      const settled = await aSettledTask(world, alpha);
      const { id } = await lostDispute(settled);
      const slashId = (await runOut(world, id))?.slashId ?? 0n;
      expect(await slashableOf(alpha)).to.equal(950n * NGPU_WEI);
      await world.send(deployer, world.stakeVault, "reverseSlash", [slashId]);
      expect(await slashableOf(alpha)).to.equal(1_000n * NGPU_WEI);

      await world.restore();
      const again = await aSettledTask(world, alpha);
      const appealed = await lostDispute(again);
      await world.send(stranger, world.disputes, "appeal", [appealed.id], { value: BOND_WEI });
      await world.send(deployer, world.disputes, "arbitrate", [appealed.id, outcomes.openerLoses]);
      expect(await readDispute(world, appealed.id)).to.deep.include({
        stage: stages.closed,
        outcome: outcomes.openerLoses,
      });
      expect(await slashableOf(alpha)).to.equal(1_000n * NGPU_WEI);
    });

    it("seats nobody whose bond has gone, and waits while the weights change", async () => {
      const leaver = world.keepers[0]?.account.address ?? stranger;
      const { bondWei } = await world.publicClient.readContract({
        ...world.keeperBonds,
        functionName: "keeper",
        args: [1],
      });
      const settled = await aSettledTask(world, alpha);
      await world.send(leaver, world.keeperBonds, "beginExit", [bondWei]);
      const id = await openDispute(world, settled);
      await revealOutput(world, id);
      const judges = await drawJudges(world, id);
      expect(judges).to.have.members(everyKeeper().filter((judge) => judge !== leaver));

      await world.restore();
      const other = await aSettledTask(world, alpha);
      await world.toUpdate();
      expect(await world.phaseNow()).to.equal(phase.update);
      const waiting = await openDispute(world, other);
      await revealOutput(world, waiting);
      expect(await codeOf(drawJudges(world, waiting))).to.equal("SelectionNotDrawable");
      expect((await readDispute(world, waiting)).stage).to.equal(stages.drawing);
    });

    it("audits what the epoch's seed samples of the receipts that were anchored before it was asked for", async () => {
      const { keeper } = world.actors;
      const settled = await aSettledTask(world, alpha);
      const hash = receiptHashOf(settled.receipt);
      const harm = await harmOf(world, settled.taskId);
      const anchor = async (label: string) => {
        const sibling = hashOf(label);
        const root = keccak256(hash < sibling ? concat([hash, sibling]) : concat([sibling, hash]));
        await world.send(stranger, world.disputes, "anchorReceipts", [root]);
        return { receiptsRoot: root, proof: [sibling] };
      };
      const epochNow = async () =>
        BigInt(await world.publicClient.readContract({ ...world.selection, functionName: "epoch" }));
      const audit = (proof: Awaited<ReturnType<typeof anchor>>, seedEpoch: bigint) =>
        world.send(keeper, world.disputes, "openByAudit", [openOf(settled), { ...proof, seedEpoch }, harm], {
          value: BOND_WEI,
        });

      let proof = await anchor("first");
      let late = proof;
      for (let attempt = 0; ; attempt += 1) {
        if (attempt === 60) throw new Error("no seed of sixty sampled the task");
        proof = await anchor(`in time ${attempt}`);
        await world.toUpdate();
        await world.refreshAll();
        await world.increase(30);
        await world.advance();
        expect(await world.phaseNow()).to.equal(phase.seeding);
        late = await anchor(`after the request ${attempt}`);
        await world.advance();
        const seed = await world.publicClient.readContract({ ...world.selection, functionName: "seed" });
        if (samples(seed, settled.taskId)) break;
      }
      const epoch = await epochNow();
      expect(await codeOf(audit(late, epoch)), "anchored when the seed could be known").to.equal("DisputeNotSampled");
      expect(await codeOf(audit(proof, epoch + 1n)), "an epoch to come").to.equal("DisputeNotSampled");
      const receipt = await audit(proof, epoch);
      const id = eventsOf(receipt, world.disputes, "DisputeOpened")[0]?.disputeId ?? zeroHash;
      await world.increase(21);
      await advanceDispute(world, id);
      expect(await runOut(world, id)).to.deep.include({ outcome: outcomes.nodeLoses, slashedWei: 50n * NGPU_WEI });
      expect(await slashableOf(alpha)).to.equal(950n * NGPU_WEI);
    });

    const samples = (seed: Hex, taskId: Hex): boolean => {
      const point = keccak256(encodeAbiParameters(parseAbiParameters("bytes32 seed, bytes32 taskId"), [seed, taskId]));
      return BigInt(point) < ((2n ** 256n - 1n) / 10_000n) * SAMPLE_BPS;
    };
  });

  describe("assignment", () => {
    const fit = { powerCu: 1_000, stakeWei: 1_000n * NGPU_WEI, priceUsd6PerGcums: 100_000n };
    const mirrored = (leftS: number): bigint => mostCums({ ...fit, leftS, stakeWeiPerUsd6: 2_000_000_000_000n });
    const tooLarge = async (workCums: bigint, deadlineS: number) => {
      const deadline = (await world.now()) + deadlineS;
      const { taskId } = await postTask(world, { change: { workCums, deadline, clientNonce: hashOf(`${workCums}`) } });
      return { taskId, deadline };
    };

    it("refuses work that the power cannot do before the deadline, to the second", async () => {
      const { taskId, deadline } = await tooLarge(100_000_000n, 600);
      const at = deadline - 100;
      expect(await revertOf(assignTask(world, taskId, { at: at + 1 }))).to.deep.equal({
        name: "TaskTooLargeForNode",
        args: [alpha.nodeId, 100_000_000n, mirrored(99)],
      });
      await world.restore();
      const again = await tooLarge(100_000_000n, 600);
      await assignTask(world, again.taskId, { at: again.deadline - 100 });
      expect((await readTask(world, again.taskId)).status).to.equal(taskStatus.assigned);
    });

    it("refuses a task that is worth more than a hundredth of the stake, at the rate of its post", async () => {
      // A cent per NGPU: alpha's 1,000 are worth 10 USD, so a task may cost 100,000 base units.
      await world.send(deployer, world.feed, "push", [1_000_000n]);
      const { taskId } = await tooLarge(800_000_001n, 3_600);
      expect(await revertOf(assignTask(world, taskId))).to.deep.equal({
        name: "TaskTooLargeForNode",
        args: [alpha.nodeId, 800_000_001n, 800_000_000n],
      });
      const rate = { stakeWeiPerUsd6: 10n ** 14n, leftS: 3_600 };
      expect(mostCums({ ...fit, ...rate })).to.equal(800_000_000n);
      const fitting = await tooLarge(800_000_000n, 3_600);
      await assignTask(world, fitting.taskId);
      const { terms } = await wordsOf(world, fitting.taskId);
      expect(maxBillUsd6(terms)).to.equal(100_000n);
    });
  });

  describe("pausing", () => {
    const pause = (from: Address) => world.send(from, world.oracle, "pauseQuotes", []);
    const openSession = async (label: string) => {
      const clientNonce = hashOf(label);
      const params = {
        clientNonce,
        modelId: MODEL,
        signer: signer.address,
        maxPriceUsd6PerGcums: 100_000n,
        spendCapUsd6: 10n * USD6,
        minReplicas: 1,
        maxReplicas: 1,
        slaMs: 500,
        expiresAt: (await world.now()) + 600,
      };
      await world.send(payer, world.settlement, "open", [params, noPermit]);
      return sessionIdOf({
        chainId: CHAIN_ID,
        settlement: world.settlement.address,
        payer,
        clientNonce,
        modelId: MODEL,
      });
    };

    it("stops new posts and sessions and nothing else (INV-10)", async () => {
      const { owner, keeper } = world.actors;
      const settles = await anAssignedTask(world);
      const expires = await anAssignedTask(world, { clientNonce: hashOf("expires"), deadline: (await world.now()) + 60 });
      const cancelled = await postTask(world, { change: { clientNonce: hashOf("cancelled") } });
      const waits = await postTask(world, { change: { clientNonce: hashOf("waits") } });
      const sessionId = await openSession("before");
      await world.send(payer, world.paymentVault, "deposit", [payer, 5n * USD6]);
      await pause(deployer);

      const post = await aPost(world, { clientNonce: hashOf("new") });
      expect(await codeOf(world.send(payer, world.escrow, "post", [post, noPermit]))).to.equal("QuotesPaused");
      expect(await codeOf(openSession("new"))).to.equal("QuotesPaused");

      await assignTask(world, waits.taskId);
      await settleTask(world, settles.taskId, alpha);
      await world.send(payer, world.escrow, "cancel", [cancelled.taskId, (await wordsOf(world, cancelled.taskId)).terms]);
      await world.increaseTo(expires.post.deadline);
      await expireTask(world, expires.taskId);
      const statuses = await Promise.all(
        [settles, cancelled, expires].map(async ({ taskId }) => (await readTask(world, taskId)).status),
      );
      expect(statuses).to.deep.equal([taskStatus.settled, taskStatus.cancelled, taskStatus.refunded]);

      const assign = [sessionId, alpha.nodeId, laneRole.primary, USD6] as const;
      await world.send(keeper, world.settlement, "assignReplica", assign);
      const { settlement, cumulativeUsd6 } = await billOn({
        settlement: world.settlement.address,
        book: bookOf(sessionId, alpha),
        segments: [exec(60_000)],
      });
      await world.send(stranger, world.settlement, "settle", [[settlement]]);
      const credited = await world.publicClient.readContract({
        ...world.paymentVault,
        functionName: "accountOf",
        args: [alpha.payout],
      });
      expect(credited.creditUsd6 >= (cumulativeUsd6 * 99n) / 100n).to.equal(true);
      await world.send(stranger, world.paymentVault, "payCredit", [alpha.payout]);
      await world.send(payer, world.settlement, "close", [sessionId]);
      await world.increase(61);
      await world.send(stranger, world.settlement, "reclaimLane", [sessionId, alpha.nodeId]);
      await world.send(stranger, world.settlement, "finish", [sessionId]);

      const { availableUsd6 } = await world.publicClient.readContract({
        ...world.paymentVault,
        functionName: "accountOf",
        args: [payer],
      });
      expect(availableUsd6 > 5n * USD6).to.equal(true);
      await world.send(payer, world.paymentVault, "withdraw", [payer, availableUsd6]);
      // Locks of settled fees end with the dispute window.
      await world.increase(121);
      await world.send(owner, world.stakeVault, "beginExit", [alpha.nodeId, 1_000n * NGPU_WEI]);
      await world.increase(301);
      await world.send(stranger, world.stakeVault, "withdraw", [alpha.nodeId]);
      expect(await slashableOf(alpha)).to.equal(0n);
      expect(await world.publicClient.readContract({ ...world.oracle, functionName: "quotesPaused" })).to.equal(true);
    });

    it("is the pauser's to begin and the unpauser's to end", async () => {
      expect(await codeOf(pause(stranger))).to.equal("AccessManagedUnauthorized");
      await world.send(deployer, world.roleGuard, "give", [roles.pauser, stranger, 0]);
      const stopped = await pause(stranger);
      expect(eventsOf(stopped, world.oracle, "QuotesStopped")).to.deep.equal([{ account: stranger }]);
      const resume = (from: Address) => world.send(from, world.oracle, "resumeQuotes", []);
      expect(await codeOf(resume(stranger))).to.equal("AccessManagedUnauthorized");
      const resumed = await resume(deployer);
      expect(eventsOf(resumed, world.oracle, "QuotesResumed")).to.deep.equal([{ account: deployer }]);
      await postTask(world);
      await world.send(deployer, world.roleGuard, "take", [roles.pauser, stranger]);
      expect(await codeOf(pause(stranger))).to.equal("AccessManagedUnauthorized");
    });
  });

  describe("public deployment", () => {
    it("leaves the administration to an account that waits longer than the thaw, and every role to the guard", async () => {
      const coordinatorAbi = parseAbi(["function createSubscription() returns (uint256)"]);
      const coordinator = await world.deploy("VRFCoordinatorV2_5Mock", coordinatorAbi, [1n, 1n, 10n ** 15n]);
      const [admin, policy, pauser, unpauser, guardian, treasury] = [11, 12, 13, 14, 15, 16].map(world.accountAt);
      const parameters = {
        Ngpu: {
          paymentToken: world.usd.address,
          stakeToken: world.ngpu.address,
          priceFeed: world.feed.address,
          keeper: world.actors.keeper,
          policy: policy ?? stranger,
          appeal: policy ?? stranger,
          pauser: pauser ?? stranger,
          unpauser: unpauser ?? stranger,
          guardian: guardian ?? stranger,
          treasury: treasury ?? stranger,
          admin: admin ?? stranger,
          vrfCoordinator: coordinator.address,
          vrfKeyHash: hashOf("key hash"),
          vrfSubscriptionId: 1n,
        },
      };
      const results = await world.connection.ignition.deploy(ngpu, { parameters });
      const entries: [string, { readonly address: Address }][] = Object.entries(results);
      const deployed = Object.fromEntries(entries.map(([name, { address }]) => [name, address])) as Record<
        keyof (typeof ngpu)["results"],
        Address
      >;
      const manager = { abi: managerAbi, address: deployed.accessManager };
      const read = world.publicClient.readContract;
      const hasRole = (role: bigint, account: Address) =>
        read({ ...manager, functionName: "hasRole", args: [role, account] });

      expect(await hasRole(roles.admin, deployer)).to.deep.equal([false, 0]);
      expect(await hasRole(roles.admin, admin ?? stranger)).to.deep.equal([true, 21 * DAY_S]);
      const vault = { ...world.stakeVault, address: deployed.stakeVault };
      expect(await read({ ...vault, functionName: "thawPeriod" })).to.be.below(21 * DAY_S);
      for (let role = 1n; role < roles.roleAdmin; role += 1n) {
        expect(await read({ ...manager, functionName: "getRoleAdmin", args: [role] })).to.equal(roles.roleAdmin);
      }
      expect((await hasRole(roles.roleAdmin, deployed.roleGuard))[0]).to.equal(true);
      for (const account of [deployer, admin ?? stranger]) {
        expect((await hasRole(roles.roleAdmin, account))[0]).to.equal(false);
        expect((await hasRole(roles.pauser, account))[0]).to.equal(false);
      }
      expect((await hasRole(roles.guardian, guardian ?? stranger))[0]).to.equal(true);

      const seeds = { abi: parseAbi(["function owner() view returns (address)"]), address: deployed.seedSource };
      expect(await read({ ...seeds, functionName: "owner" })).to.equal(deployed.accessManager);

      const board = { ...world.scoreBoard, address: deployed.scoreBoard };
      expect(await read({ ...board, functionName: "conduct" })).to.equal(deployed.availability);
      const unheard = encodeFunctionData({ abi: board.abi, functionName: "setConduct", args: [stranger] });
      const act = world.send(admin ?? stranger, manager, "execute", [board.address, unheard]);
      expect(await codeOf(act), "not announced").to.equal("AccessManagerNotScheduled");
    });
  });

  it("draws judges and nodes from pools that know of both", async () => {
    expect(await weightNow({ ...alpha, nodeId: 5 }, KEEPER_POOL)).to.be.greaterThan(0);
    expect(await weightNow(beta)).to.be.greaterThan(0);
  });
});

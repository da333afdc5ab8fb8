/**
 * The direct rail after a settlement: standby, stake that a bill locks, and outputs that payers demand:
 * contracts/TaskEscrow.sol, contracts/task/OutputDemands.sol. Every test says where the money ended.
 */
import { after, before, beforeEach, describe, it } from "node:test";
import { settlementDigest, type Settlement, type TaskTerms } from "@ngpu/protocol/taskDigest";
import { receiptStatus } from "@ngpu/protocol/typedData";
import { taskStatus as status } from "@ngpu/protocol/taskStatus";
import { expect } from "chai";
import { maxUint256, parseAbi, type Address, type Hex } from "viem";
import { eventsOf, type ContractRef } from "./support/chain.ts";
import { moneyOf, moved, vaultBalance } from "./support/money.ts";
import { noPermit } from "./support/permit.ts";
import { BILLED, createRail, ESCROWED, escrowParts, STANDBY } from "./support/rail.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import {
  aReceipt,
  acceptTask,
  anAssignedTask,
  assignTask,
  hashOf,
  onDemand,
  postTask,
  readTask,
  settleTask,
  signReceipt,
} from "./support/tasks.ts";
import { wordsOf } from "./support/taskWords.ts";
import { NGPU_WEI, type NodeKeys } from "./support/world.ts";

/** As deployed locally. */
const PAYER_WINDOW_S = 30;
const ANSWER_WINDOW_S = 60;
const BOND = 10_000n;

const rail = await createRail();
const { world, alpha, beta, gamma, payerMoney, payoutMoney, statusOf } = rail;
const { payer, stranger, otherPayer, deployer } = world.actors;
const { treasury } = escrowParts(world);
const keepers = [6, 7, 8].map((index) => world.accountAt(index));
const [keeper, second, third] = keepers as [Address, Address, Address];
const read = world.publicClient.readContract;

async function bond(account: Address): Promise<void> {
  await world.send(deployer, world.ngpu, "transfer", [account, 200n * NGPU_WEI]);
  await world.send(account, world.ngpu, "approve", [world.keeperBonds.address, maxUint256]);
  await world.send(account, world.keeperBonds, "bond", [100n * NGPU_WEI]);
}

/** A task that alpha was paid for; `payer` has money left in the vault for a bond. */
async function aSettledTask(label = "settled") {
  const { taskId } = await anAssignedTask(world, { clientNonce: hashOf(label) });
  await settleTask(world, taskId, alpha);
  return { taskId, settledAt: await world.now() };
}
const demand = (taskId: Hex, options: { from?: Address; at?: number } = {}) =>
  onDemand(world, "demandOutput", taskId, { from: payer, ...options });
const attest = (taskId: Hex, options: { from?: Address; at?: number } = {}) =>
  onDemand(world, "attestOutput", taskId, { from: keeper, ...options });
const close = (taskId: Hex, options: { from?: Address; at?: number } = {}) =>
  onDemand(world, "closeDemand", taskId, { from: stranger, ...options });
const potUsd6 = () => read({ ...world.paymentVault, functionName: "heldBy", args: [world.escrow.address] });
const immatureOf = (account: Address) =>
  read({ ...world.paymentVault, functionName: "immatureOf", args: [account] });

describe("TaskEscrow", () => {
  before(async () => {
    for (const each of keepers) await bond(each);
    await world.send(payer, world.usd, "approve", [world.paymentVault.address, maxUint256]);
    await world.send(payer, world.paymentVault, "deposit", [payer, 50_000n]);
    await world.remember();
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  describe("standby", () => {
    /** Settled by the node in `by`; all others accepted, but those in `silent`, and those in `failed` signed a failure. */
    async function settledBy(by: NodeKeys, { silent = [], failed = [] }: { silent?: NodeKeys[]; failed?: NodeKeys[] } = {}) {
      const seated = [alpha, beta, gamma];
      const { taskId } = await postTask(world, { change: { backups: 2 } });
      await assignTask(world, taskId, { nodes: seated });
      for (const node of seated) if (!silent.includes(node)) await acceptTask(world, taskId, node);
      const status_ = receiptStatus.runnerCrashed;
      for (const node of failed) await settleTask(world, taskId, node, { change: { status: status_ } });
      const before = await payerMoney();
      // A second of the reference machine, whoever does it.
      const receipt = await settleTask(world, taskId, by, { change: { durationMs: 1_000_000 / by.powerCu } });
      const credits = [];
      for (const { payout } of seated) credits.push((await moneyOf(world, payout)).creditUsd6);
      return { taskId, receipt, credits, moved: moved(before, await payerMoney()) };
    }

    it("gives every backup that accepted and was not needed a tenth of the bill, out of what was escrowed", async () => {
      const settled = await settledBy(alpha);
      expect(settled.credits).to.deep.equal([BILLED, STANDBY, STANDBY]);
      expect(eventsOf(settled.receipt, world.escrow, "TaskStandbyPaid")).to.deep.equal(
        [beta, gamma].map(({ nodeId, payout }) => ({ taskId: settled.taskId, nodeId, payout, amountUsd6: STANDBY })),
      );
      const escrowed = 125n + 2n * 12n;
      const refundUsd6 = escrowed - BILLED - 2n * STANDBY;
      expect(eventsOf(settled.receipt, world.escrow, "TaskSettled")[0]).to.deep.include({
        amountUsd6: BILLED,
        standbyUsd6: 2n * STANDBY,
        refundUsd6,
      });
      expect(settled.moved).to.deep.equal({ reservedUsd6: -escrowed, availableUsd6: refundUsd6 });
      expect(await immatureOf(gamma.payout), "it matures like the bill").to.equal(STANDBY);
    });

    it("gives a backup that never accepted nothing", async () => {
      expect((await settledBy(alpha, { silent: [beta] })).credits).to.deep.equal([BILLED, 0n, STANDBY]);
    });

    it("gives a backup that signed a failure nothing, though it had accepted", async () => {
      expect((await settledBy(alpha, { failed: [gamma] })).credits).to.deep.equal([BILLED, STANDBY, 0n]);
    });

    it("gives whoever sits before the seat that executed nothing: it was asked to and did not", async () => {
      expect((await settledBy(beta, { failed: [alpha] })).credits).to.deep.equal([0n, BILLED, STANDBY]);
      await world.restore();
      expect((await settledBy(gamma)).credits, "primary and first backup were silent").to.deep.equal([0n, 0n, BILLED]);
    });

    it("has the payer ready to pay it at the cap to all three backups, and the escrow ends with nothing", async () => {
      const delta = await world.registerNode("delta", 0);
      await world.send(delta.owner, world.stakeVault, "stake", [delta.nodeId, 1_000n * NGPU_WEI]);
      const seated = [alpha, beta, gamma, delta];
      const { taskId } = await postTask(world, { change: { backups: 3 } });
      await assignTask(world, taskId, { nodes: seated });
      for (const node of seated) await acceptTask(world, taskId, node);
      const receipt = await settleTask(world, taskId, alpha, { change: { durationMs: 1_250 } });
      expect(eventsOf(receipt, world.escrow, "TaskSettled")[0]).to.deep.include({ standbyUsd6: 36n, refundUsd6: 0n });
      expect((await payerMoney()).reservedUsd6).to.equal(0n);
    });
  });

  describe("stake", () => {
    it("worth the bill is locked until the dispute window has ended, and the owner cannot take it", async () => {
      const locked = () => read({ ...world.stakeVault, functionName: "lockedOf", args: [alpha.nodeId] });
      await aSettledTask();
      expect(await locked()).to.equal(BILLED * 2_000_000_000_000n);
      const all = world.send(alpha.owner, world.stakeVault, "beginExit", [alpha.nodeId, 1_000n * NGPU_WEI]);
      expect(await codeOf(all)).to.equal("StakeStillLocked");
      await world.increase(120);
      expect(await locked()).to.equal(0n);
      await world.send(alpha.owner, world.stakeVault, "beginExit", [alpha.nodeId, 1_000n * NGPU_WEI]);
    });
  });

  describe("words", () => {
    it("that are false in any field are refused by every function, and no money moves", async () => {
      const posted = await postTask(world, { change: { clientNonce: hashOf("posted") } });
      const assigned = await anAssignedTask(world, { clientNonce: hashOf("assigned") });
      const settled = await aSettledTask();
      const demanded = await aSettledTask("demanded");
      await demand(demanded.taskId);
      const before = await vaultBalance(world);
      const payerBefore = await payerMoney();

      const falseTerms = (terms: TaskTerms): TaskTerms[] => [
        { ...terms, payer: stranger },
        { ...terms, postedAt: terms.postedAt + 1 },
        { ...terms, deadline: terms.deadline + 1 },
        { ...terms, backups: terms.backups + 1 },
        { ...terms, workCums: terms.workCums + 1n },
        { ...terms, priceUsd6PerGcums: terms.priceUsd6PerGcums + 1n },
        { ...terms, stakeWeiPerUsd6: terms.stakeWeiPerUsd6 + 1n },
        { ...terms, contentHash: hashOf("other content") },
      ];
      const refuse = async (act: Promise<unknown>, taskId: Hex) =>
        expect(await revertOf(act)).to.deep.equal({ name: "TaskWordsMismatch", args: [taskId] });

      const ofPosted = await wordsOf(world, posted.taskId);
      const ofAssigned = await wordsOf(world, assigned.taskId);
      const { escrow } = world;
      const assign = (terms: TaskTerms, standing = ofPosted.standing) =>
        world.send(world.actors.keeper, escrow, "assign", [posted.taskId, terms, standing, [alpha.nodeId, beta.nodeId]]);
      const relay = await signReceipt(world, aReceipt(assigned.taskId, alpha), alpha.operator);
      const settle = (terms: TaskTerms, standing = ofAssigned.standing) =>
        world.send(stranger, escrow, "settle", [terms, standing, relay.message, relay.signature]);
      const accepted = { taskId: assigned.taskId, assignment: 1, nodeId: alpha.nodeId, timeMs: 0n };
      const accept = (terms: TaskTerms, standing = ofAssigned.standing) => {
        const message = { ...accepted, inputCommitment: hashOf("input commitment") };
        return world.send(stranger, escrow, "accept", [terms, standing, message, relay.signature]);
      };
      const expire = (terms: TaskTerms, standing = ofAssigned.standing) =>
        world.send(stranger, escrow, "expire", [assigned.taskId, terms, standing]);

      for (const terms of falseTerms(ofPosted.terms)) {
        await refuse(assign(terms), posted.taskId);
        await refuse(world.send(payer, escrow, "cancel", [posted.taskId, terms]), posted.taskId);
      }
      for (const terms of falseTerms(ofAssigned.terms)) {
        for (const act of [settle, accept, expire]) await refuse(act(terms), assigned.taskId);
      }
      const { assigner, seats } = ofAssigned.standing;
      const [first, backup] = seats;
      if (first === undefined || backup === undefined) throw new RangeError("two seats");
      const falseSeats = [
        { assigner: stranger, seats },
        { assigner, seats: [] },
        { assigner, seats: [first] },
        { assigner, seats: [backup, first] },
        { assigner, seats: [first, { ...backup, powerCu: backup.powerCu + 1 }] },
        { assigner, seats: [{ ...first, nodeId: gamma.nodeId }, backup] },
        { assigner, seats: [first, backup, { nodeId: gamma.nodeId, powerCu: gamma.powerCu }] },
      ];
      for (const standing of falseSeats) {
        for (const act of [settle, accept, expire]) await refuse(act(ofAssigned.terms, standing), assigned.taskId);
        if (standing.seats.length > 0) await refuse(assign(ofPosted.terms, standing), posted.taskId);
      }

      for (const [taskId, acts, from] of [
        [settled.taskId, ["demandOutput"], payer],
        [demanded.taskId, ["attestOutput", "closeDemand"], keeper],
      ] as const) {
        const { terms, settlement } = await wordsOf(world, taskId);
        const falseSettlements: Settlement[] = [
          { ...settlement, nodeId: beta.nodeId },
          { ...settlement, payout: stranger },
          { ...settlement, amountUsd6: settlement.amountUsd6 + 1n },
          { ...settlement, receiptHash: hashOf("other receipt") },
          { ...settlement, outputCiphertext: hashOf("other output") },
        ];
        for (const act of acts) {
          for (const said of falseTerms(terms)) {
            await refuse(world.send(from, escrow, act, [taskId, said, settlement]), taskId);
          }
          for (const said of falseSettlements) {
            await refuse(world.send(from, escrow, act, [taskId, terms, said]), taskId);
          }
        }
      }
      expect(await vaultBalance(world)).to.equal(before);
      expect(await payerMoney()).to.deep.equal(payerBefore);
      expect(await statusOf(assigned.taskId)).to.equal(status.assigned);
    });

    it("of another task settle nothing: each task's money stays with its payer", async () => {
      const mine = await anAssignedTask(world, { clientNonce: hashOf("mine") });
      const cheap = await anAssignedTask(world, { clientNonce: hashOf("cheap"), workCums: 500_000n });
      const { terms, standing } = await wordsOf(world, cheap.taskId);
      const { message, signature } = await signReceipt(world, aReceipt(mine.taskId, alpha), alpha.operator);
      const act = world.send(stranger, world.escrow, "settle", [terms, standing, message, signature]);
      expect(await revertOf(act)).to.deep.equal({ name: "TaskWordsMismatch", args: [mine.taskId] });
      expect((await payoutMoney(alpha)).creditUsd6).to.equal(0n);
    });

    it("are told apart by what became of the task, and by nothing else", async () => {
      const is = async (taskId: Hex, which: "isAssignmentOf" | "isSettlementOf") => {
        const { terms, standing, settlement } = await wordsOf(world, taskId);
        return which === "isAssignmentOf"
          ? read({ ...world.escrow, functionName: which, args: [taskId, terms, standing] })
          : read({ ...world.escrow, functionName: which, args: [taskId, terms, settlement] });
      };
      const posted = await postTask(world, { change: { clientNonce: hashOf("one") } });
      const assigned = await anAssignedTask(world, { clientNonce: hashOf("two") });
      const settled = await aSettledTask();
      for (const [taskId, assignment, settlement] of [
        [posted.taskId, true, false],
        [assigned.taskId, true, false],
        [settled.taskId, false, true],
        [hashOf("no task"), false, false],
      ] as const) {
        expect(await is(taskId, "isAssignmentOf")).to.equal(assignment);
        expect(await is(taskId, "isSettlementOf")).to.equal(settlement);
      }
      await demand(settled.taskId);
      expect(await is(settled.taskId, "isSettlementOf"), "whatever came of a demand").to.equal(true);
      const { terms, settlement } = await wordsOf(world, settled.taskId);
      expect((await readTask(world, settled.taskId)).digest).to.equal(settlementDigest(terms, settlement));
    });
  });

  describe("demand", () => {
    it("puts the bill and a bond into the escrow's pot: neither side has it until keepers or time decide", async () => {
      const { taskId } = await aSettledTask();
      const before = await payerMoney();
      const receipt = await demand(taskId);
      expect(eventsOf(receipt, world.escrow, "OutputDemanded")).to.deep.equal([
        {
          taskId,
          payer,
          nodeId: alpha.nodeId,
          outputCiphertext: hashOf("output ciphertext"),
          amountUsd6: BILLED,
          bondUsd6: BOND,
          answerableUntil: (await world.now()) + ANSWER_WINDOW_S,
        },
      ]);
      expect(moved(before, await payerMoney())).to.deep.equal({ availableUsd6: -BOND });
      expect((await payoutMoney(alpha)).creditUsd6).to.equal(0n);
      expect(await potUsd6()).to.equal(BILLED + BOND);
      expect(await readTask(world, taskId)).to.deep.include({
        status: status.demanded,
        acceptedMask: 0,
        changedAt: await world.now(),
      });
    });

    it("takes a bond of a quarter of a large bill, and the minimum of a small one", async () => {
      const bondOf = (amount: bigint) => read({ ...world.escrow, functionName: "demandBondOf", args: [amount] });
      expect([await bondOf(0n), await bondOf(40_003n), await bondOf(40_004n)]).to.deep.equal([BOND, BOND, BOND + 1n]);
      expect(await bondOf(2n ** 64n - 1n)).to.equal(2n ** 62n - 1n);
    });

    it("is answered by a keeper that holds the output: the node has its bill, the treasury the bond, the keeper nothing", async () => {
      const { taskId } = await aSettledTask();
      await demand(taskId);
      const before = await moneyOf(world, treasury);
      const receipt = await attest(taskId);
      expect(eventsOf(receipt, world.escrow, "OutputAttested")).to.deep.equal([{ taskId, keeper, attestations: 1 }]);
      expect(eventsOf(receipt, world.escrow, "OutputDelivered")).to.deep.equal([
        { taskId, nodeId: alpha.nodeId, amountUsd6: BILLED, bondUsd6: BOND },
      ]);
      expect((await payoutMoney(alpha)).creditUsd6).to.equal(BILLED);
      expect(await immatureOf(alpha.payout), "nothing is left to contest").to.equal(0n);
      expect(moved(before, await moneyOf(world, treasury))).to.deep.equal({ creditUsd6: BOND });
      expect((await moneyOf(world, keeper)).creditUsd6, "a reward would pay for saying so").to.equal(0n);
      expect(await potUsd6()).to.equal(0n);
      expect(await statusOf(taskId)).to.equal(status.delivered);
      await world.send(stranger, world.paymentVault, "payCredit", [alpha.payout]);
      expect((await payoutMoney(alpha)).walletUsd6).to.equal(BILLED);
      expect(await codeOf(close(taskId, { at: (await world.now()) + 200 }))).to.equal("TaskWrongStatus");
    });

    it("that no keeper answers gives the payer bill and bond back by time alone, whoever closes it (INV-8)", async () => {
      const { taskId } = await aSettledTask();
      const before = await payerMoney();
      await demand(taskId);
      const until = (await world.now()) + ANSWER_WINDOW_S;
      expect(await revertOf(close(taskId, { at: until - 1 }))).to.deep.equal({
        name: "TaskDemandWindow",
        args: [taskId, until],
      });
      const receipt = await close(taskId, { at: until });
      expect(eventsOf(receipt, world.escrow, "OutputForfeited")).to.deep.equal([
        { taskId, nodeId: alpha.nodeId, amountUsd6: BILLED, bondUsd6: BOND },
      ]);
      expect(moved(before, await payerMoney())).to.deep.equal({ availableUsd6: BILLED });
      expect((await payoutMoney(alpha)).creditUsd6).to.equal(0n);
      expect(await potUsd6()).to.equal(0n);
      expect(await statusOf(taskId)).to.equal(status.forfeited);
      expect(await codeOf(close(taskId))).to.equal("TaskWrongStatus");
      expect(await codeOf(demand(taskId))).to.equal("TaskWrongStatus");
    });

    it("after the payer's window is refused, and the node keeps its bill", async () => {
      const { taskId, settledAt } = await aSettledTask();
      const until = settledAt + PAYER_WINDOW_S;
      expect(await revertOf(demand(taskId, { at: until }))).to.deep.equal({
        name: "TaskPayerWindowOver",
        args: [taskId, until],
      });
      expect((await payoutMoney(alpha)).creditUsd6).to.equal(BILLED);
    });

    it("in the last second of the window still finds the bill, whatever was demanded in between", async () => {
      const first = await aSettledTask("first");
      const younger = await aSettledTask("younger");
      await demand(younger.taskId);
      await demand(first.taskId, { at: first.settledAt + PAYER_WINDOW_S - 1 });
      expect(await potUsd6()).to.equal(2n * (BILLED + BOND));
      expect((await payoutMoney(alpha)).creditUsd6).to.equal(0n);
    });

    it("is made once: a second one moves nothing", async () => {
      const { taskId } = await aSettledTask();
      await demand(taskId);
      expect(await revertOf(demand(taskId))).to.deep.equal({
        name: "TaskWrongStatus",
        args: [taskId, status.demanded],
      });
      expect(await potUsd6()).to.equal(BILLED + BOND);
    });

    it("is the payer's alone: a stranger's moves nothing", async () => {
      const { taskId } = await aSettledTask();
      for (const from of [stranger, alpha.owner, keeper]) {
        expect(await revertOf(demand(taskId, { from }))).to.deep.equal({ name: "TaskNotPayer", args: [taskId, from] });
      }
      expect((await payoutMoney(alpha)).creditUsd6).to.equal(BILLED);
    });

    it("of a task that is not settled is refused", async () => {
      const { taskId } = await anAssignedTask(world);
      for (const act of [demand(taskId), attest(taskId), close(taskId)]) {
        expect(await codeOf(act)).to.equal("TaskWrongStatus");
      }
    });

    it("takes its bond out of the wallet if the vault holds too little, and fails if there is neither", async () => {
      const { taskId } = await postTask(world, { payer: otherPayer });
      await assignTask(world, taskId);
      await settleTask(world, taskId, alpha);
      const before = await moneyOf(world, otherPayer);
      await demand(taskId, { from: otherPayer });
      const left = ESCROWED - BILLED;
      expect(moved(before, await moneyOf(world, otherPayer))).to.deep.equal({
        walletUsd6: left - BOND,
        availableUsd6: -left,
      });
      const poor = await postTask(world, { payer: otherPayer, change: { clientNonce: hashOf("poor") } });
      await assignTask(world, poor.taskId);
      await settleTask(world, poor.taskId, alpha);
      await world.send(otherPayer, world.usd, "approve", [world.paymentVault.address, 0n]);
      expect(await codeOf(demand(poor.taskId, { from: otherPayer }))).to.equal("ERC20InsufficientAllowance");
      expect((await payoutMoney(alpha)).creditUsd6, "the bill stands").to.equal(BILLED);
    });

    it("is attested by bonded keepers alone, in time", async () => {
      const { taskId } = await aSettledTask();
      await demand(taskId);
      const until = (await world.now()) + ANSWER_WINDOW_S;
      for (const from of [stranger, payer, world.actors.keeper]) {
        expect(await revertOf(attest(taskId, { from }))).to.deep.equal({
          name: "TaskAttesterInvalid",
          args: [taskId, from],
        });
      }
      await world.send(second, world.keeperBonds, "beginExit", [100n * NGPU_WEI]);
      expect(await codeOf(attest(taskId, { from: second })), "one that leaves").to.equal("TaskAttesterInvalid");
      expect(await revertOf(attest(taskId, { at: until }))).to.deep.equal({
        name: "TaskDemandWindow",
        args: [taskId, until],
      });
      await close(taskId);
      expect((await payoutMoney(alpha)).creditUsd6, "the payer has it back").to.equal(0n);
    });
  });

  describe("a quorum of three", () => {
    let vault: ContractRef<typeof world.paymentVault.abi>;
    let escrow: ContractRef<typeof world.escrow.abi>;
    let rival: typeof world;

    /** The same world with a vault and an escrow of its own, deployed as the test wants them. */
    async function anEscrow(): Promise<void> {
      vault = await world.deploy("PaymentVault", world.paymentVault.abi, [world.usd.address, 60, 100]);
      const parts = { ...escrowParts(world), paymentVault: vault.address, quorum: 3, minimumDemandBondUsd6: 100n };
      // Stake is locked by rails that the stake vault knows: a stand-in that takes the call.
      const stakes = await world.deploy("FeeLockVault", parseAbi(["function setRail(address rail)"]), [60]);
      escrow = await world.deploy("TaskEscrow", world.escrow.abi, [{ ...parts, stakeVault: stakes.address }]);
      await world.send(deployer, vault, "fixRails", [[escrow.address]]);
      await world.send(deployer, stakes, "setRail", [escrow.address]);
      await world.send(payer, world.usd, "approve", [vault.address, maxUint256]);
      await world.send(payer, vault, "deposit", [payer, 1_000n]);
      rival = { ...world, paymentVault: vault, escrow };
    }
    async function aDemand(): Promise<Hex> {
      const { taskId } = await postTask(rival, { change: { backups: 0 }, permit: noPermit, approve: false });
      await assignTask(rival, taskId, { nodes: [alpha] });
      // An accept is counted where attestations are counted later: it must not count for one.
      await acceptTask(rival, taskId, alpha);
      await settleTask(rival, taskId, alpha);
      await onDemand(rival, "demandOutput", taskId, { from: payer });
      return taskId;
    }
    const creditOf = async (account: Address) => (await moneyOf(rival, account)).creditUsd6;

    it("pays the node and the treasury with the last of three that attest, each of them once, and none of the three", async () => {
      await anEscrow();
      const taskId = await aDemand();
      const by = (from: Address) => onDemand(rival, "attestOutput", taskId, { from });
      await by(keeper);
      expect(await revertOf(by(keeper))).to.deep.equal({ name: "TaskAttesterInvalid", args: [taskId, keeper] });
      await by(second);
      expect((await readTask(rival, taskId)).acceptedMask).to.equal(2);
      for (const account of [alpha.payout, treasury]) expect(await creditOf(account), "two are too few").to.equal(0n);
      await by(third);
      expect(await creditOf(treasury)).to.equal(100n);
      for (const attester of [keeper, second, third]) expect(await creditOf(attester)).to.equal(0n);
      expect(await creditOf(alpha.payout)).to.equal(BILLED);
    });

    it("that is not reached leaves those who attested with nothing, and the payer whole", async () => {
      await anEscrow();
      const before = await moneyOf(rival, payer);
      const taskId = await aDemand();
      for (const from of [keeper, second]) await onDemand(rival, "attestOutput", taskId, { from });
      await world.increase(ANSWER_WINDOW_S);
      await onDemand(rival, "closeDemand", taskId, { from: stranger });
      expect(moved(before, await moneyOf(rival, payer))).to.deep.equal({});
      for (const account of [keeper, second, alpha.payout, treasury]) expect(await creditOf(account)).to.equal(0n);
    });
  });
});

/**
 * The direct rail at single base units: bills that are too small to share or to contest, words that belong to another
 * settlement, and the last unit of work that fits a node. Every test says where the money ended.
 */
import { after, before, beforeEach, describe, it } from "node:test";
import { maxBillUsd6 } from "@ngpu/protocol/units";
import { expect } from "chai";
import { maxUint256, type Address, type Hex } from "viem";
import { eventsOf } from "./support/chain.ts";
import { moneyOf, moved } from "./support/money.ts";
import { BILLED, createRail, escrowParts, ESCROWED } from "./support/rail.ts";
import { codeOf, revertOf } from "./support/revert.ts";
import { acceptTask, anAssignedTask, assignTask, hashOf, onDemand, postTask, settleTask } from "./support/tasks.ts";
import { wordsOf } from "./support/taskWords.ts";
import { NGPU_WEI } from "./support/world.ts";

const BOND = 10_000n;

const { world, alpha, beta, gamma, payerMoney, payoutMoney } = await createRail();
const { payer, stranger, deployer } = world.actors;
const read = world.publicClient.readContract;
const { treasury } = escrowParts(world);
const keeper: Address = world.accountAt(6);

describe("TaskEscrow at its edges", () => {
  before(async () => {
    await world.send(deployer, world.ngpu, "transfer", [keeper, 200n * NGPU_WEI]);
    await world.send(keeper, world.ngpu, "approve", [world.keeperBonds.address, maxUint256]);
    await world.send(keeper, world.keeperBonds, "bond", [100n * NGPU_WEI]);
    await world.send(payer, world.usd, "approve", [world.paymentVault.address, maxUint256]);
    await world.send(payer, world.paymentVault, "deposit", [payer, 50_000n]);
    await world.remember();
  });
  beforeEach(() => world.restore());
  after(() => world.close());

  const potUsd6 = () => read({ ...world.paymentVault, functionName: "heldBy", args: [world.escrow.address] });
  const demand = (taskId: Hex) => onDemand(world, "demandOutput", taskId, { from: payer });

  it("shares no bill of nine: the backups that stood by get nothing, the payer gets the rest, and no event lies", async () => {
    for (const [durationMs, each] of [[99, 0n], [100, 1n]] as const) {
      const { taskId } = await postTask(world, { change: { backups: 2, clientNonce: hashOf(`${durationMs}`) } });
      await assignTask(world, taskId, { nodes: [alpha, beta, gamma] });
      for (const node of [beta, gamma]) await acceptTask(world, taskId, node);
      const before = [await payoutMoney(beta), await payoutMoney(gamma)];
      const receipt = await settleTask(world, taskId, alpha, { change: { durationMs } });
      const amountUsd6 = BigInt(Math.floor(durationMs / 10));
      const [settled] = eventsOf(receipt, world.escrow, "TaskSettled");
      expect(settled).to.deep.include({
        amountUsd6,
        standbyUsd6: 2n * each,
        refundUsd6: 125n + 2n * 12n - amountUsd6 - 2n * each,
      });
      expect(eventsOf(receipt, world.escrow, "TaskStandbyPaid").map(({ amountUsd6: paid }) => paid)).to.deep.equal(
        each === 0n ? [] : [each, each],
      );
      expect([
        (await payoutMoney(beta)).creditUsd6 - (before[0]?.creditUsd6 ?? 0n),
        (await payoutMoney(gamma)).creditUsd6 - (before[1]?.creditUsd6 ?? 0n),
      ]).to.deep.equal([each, each]);
    }
  });

  it("takes a demand about a bill of nothing: only the bond is at stake, and where a keeper attests the treasury has it", async () => {
    const { taskId } = await anAssignedTask(world);
    await settleTask(world, taskId, alpha, { change: { durationMs: 0 } });
    const before = await payerMoney();
    const demanded = await demand(taskId);
    expect(eventsOf(demanded, world.paymentVault, "Contested"), "there is nothing to contest").to.deep.equal([]);
    expect(moved(before, await payerMoney())).to.deep.equal({ availableUsd6: -BOND });
    expect(await potUsd6()).to.equal(BOND);
    const attested = await onDemand(world, "attestOutput", taskId, { from: keeper });
    expect(eventsOf(attested, world.paymentVault, "PaidFromHeld")).to.deep.equal([
      { rail: world.escrow.address, payee: treasury, amountUsd6: BOND },
    ]);
    expect((await moneyOf(world, keeper)).creditUsd6).to.equal(0n);
    expect((await payoutMoney(alpha)).creditUsd6).to.equal(0n);
    expect(await potUsd6()).to.equal(0n);
  });

  it("knows a settlement by its own words alone: no other amount or payee passes for it, and the bill stays where it is", async () => {
    const { taskId } = await anAssignedTask(world);
    const other = await anAssignedTask(world, { clientNonce: hashOf("other") });
    await settleTask(world, taskId, alpha);
    await settleTask(world, other.taskId, beta);
    const { terms, settlement } = await wordsOf(world, taskId);
    const others = await wordsOf(world, other.taskId);
    const is = (said: typeof settlement, of = terms) =>
      read({ ...world.escrow, functionName: "isSettlementOf", args: [taskId, of, said] });
    expect(await is(settlement)).to.equal(true);
    expect(await is({ ...settlement, amountUsd6: BILLED + 1n })).to.equal(false);
    expect(await is({ ...settlement, payout: stranger })).to.equal(false);
    expect(await is(others.settlement)).to.equal(false);
    expect(await is(others.settlement, others.terms), "another task's words").to.equal(false);
    expect((await payoutMoney(alpha)).creditUsd6).to.equal(BILLED);
    expect(await payerMoney()).to.deep.include({ reservedUsd6: 0n });
  });

  it("gives a node the last unit of work that its time allows, and not one more: the payer's money waits", async () => {
    const workCums = 100_000_000n;
    const { taskId, post } = await postTask(world, { change: { workCums, backups: 0 } });
    const assign = (at: number) => assignTask(world, taskId, { nodes: [alpha], at });
    expect(await revertOf(assign(post.deadline - 99))).to.deep.equal({
      name: "TaskTooLargeForNode",
      args: [alpha.nodeId, workCums, 99_000_000n],
    });
    expect((await payerMoney()).reservedUsd6).to.equal(12_500n);
    await world.restore();
    const again = await postTask(world, { change: { workCums, backups: 0 } });
    await assignTask(world, again.taskId, { nodes: [alpha], at: again.post.deadline - 100 });
  });

  it("gives a node no task worth more than a hundredth of its stake: the payer can have it all back", async () => {
    // A cent for an NGPU: alpha's 1,000 are worth 10 USD, so a task may cost 100,000 base units.
    await world.send(deployer, world.feed, "push", [1_000_000n]);
    const most = 800_000_000n;
    const aTask = async (workCums: bigint) => {
      const deadline = (await world.now()) + 3_600;
      return postTask(world, { change: { workCums, deadline, backups: 0, clientNonce: hashOf(`${workCums}`) } });
    };
    const above = await aTask(most + 1n);
    expect(await revertOf(assignTask(world, above.taskId, { nodes: [alpha] }))).to.deep.equal({
      name: "TaskTooLargeForNode",
      args: [alpha.nodeId, most + 1n, most],
    });
    const { terms } = await wordsOf(world, above.taskId);
    await world.send(payer, world.escrow, "cancel", [above.taskId, terms]);
    expect((await payerMoney()).reservedUsd6).to.equal(0n);
    const fitting = await aTask(most);
    await assignTask(world, fitting.taskId, { nodes: [alpha] });
    expect(maxBillUsd6((await wordsOf(world, fitting.taskId)).terms)).to.equal(100_000n);
  });

  it("lets an assignment stand or fall by its words: without them nobody is paid and nothing is refunded", async () => {
    const { taskId } = await postTask(world);
    const { terms, standing } = await wordsOf(world, taskId);
    const isStanding = (said: typeof standing) =>
      read({ ...world.escrow, functionName: "isAssignmentOf", args: [taskId, terms, said] });
    expect(await isStanding(standing)).to.equal(true);
    const seats = [{ nodeId: alpha.nodeId, powerCu: alpha.powerCu }];
    expect(await isStanding({ ...standing, seats }), "no seat before the assignment").to.equal(false);
    expect(await isStanding({ ...standing, assigner: stranger }), "nor an assigner").to.equal(false);
    const claimed = world.send(stranger, world.escrow, "expire", [taskId, terms, { ...standing, assigner: stranger }], {
      at: terms.deadline,
    });
    expect(await codeOf(claimed)).to.equal("TaskWordsMismatch");
    expect((await payerMoney()).reservedUsd6).to.equal(ESCROWED);
  });
});

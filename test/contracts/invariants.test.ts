/**
 * Random payers, nodes, keepers and strangers act in any order and at any time; after every act the invariants that
 * bear on money hold, and at the end everything leaves by time alone. SEED=… repeats a run, STEPS=… makes it longer.
 *
 * INV-1   the vault's tokens are its liabilities, pots included (plus what was donated)
 * INV-4   thawing ≤ stake, and the stake vault's tokens are the nodes' stake
 * INV-8   every task ends and every token leaves with no keeper
 * INV-13  a task ends, is paid, and is demanded, at most once
 */
import { after, before, describe, it } from "node:test";
import { limits } from "@ngpu/protocol/limits";
import { expect } from "chai";
import type { Address, Hex, TransactionReceipt } from "viem";
import { eventsOf } from "./support/chain.ts";
import { moneyOf, vaultBalance } from "./support/money.ts";
import { noPermit } from "./support/permit.ts";
import { createRandom, seedFor, type Random } from "./support/random.ts";
import { revertOf } from "./support/revert.ts";
import { acceptTask, aPost, assignTask, expireTask, onDemand, readTask, settleTask } from "./support/tasks.ts";
import { wordsOf } from "./support/taskWords.ts";
import { createWorld, NGPU_WEI, type NodeKeys, type World } from "./support/world.ts";

const STEPS = Number(process.env.STEPS ?? 1_000);

interface KnownTask {
  readonly taskId: Hex;
  readonly payer: Address;
  readonly maxAmountUsd6: bigint;
  readonly backups: number;
  assigned: boolean;
  ends: number;
  /** Its bill, until a demand took it back for good. */
  billUsd6: bigint;
  /** Bill and bond in the escrow's pot while a demand is open. */
  pendingUsd6: bigint;
  demands: number;
}

/** What the events alone say; the chain's state must agree with it. */
interface Ledger {
  readonly tasks: Map<Hex, KnownTask>;
  readonly succeeded: Map<string, number>;
  /** Credited and not taken back: bills, standby, and what keepers had of bonds. */
  creditedUsd6: bigint;
  creditPaidUsd6: bigint;
  donatedUsd6: bigint;
}

describe("Invariants", () => {
  let world: World;
  let nodes: NodeKeys[];
  let payers: Address[];

  before(async () => {
    world = await createWorld();
    nodes = Object.values(world.nodes);
    payers = [world.actors.payer, world.actors.otherPayer];
    for (const payer of payers) {
      await world.send(payer, world.usd, "approve", [world.paymentVault.address, 2n ** 256n - 1n]);
    }
    const { deployer } = world.actors;
    await world.send(deployer, world.ngpu, "approve", [world.keeperBonds.address, 2n ** 256n - 1n]);
    await world.send(deployer, world.keeperBonds, "bond", [100n * NGPU_WEI]);
  });
  after(() => world.close());

  it("hold after every act of a random history, and everything leaves by time alone", async () => {
    const random = createRandom(seedFor("invariants"));
    const ledger: Ledger = {
      tasks: new Map(),
      succeeded: new Map(),
      creditedUsd6: 0n,
      creditPaidUsd6: 0n,
      donatedUsd6: 0n,
    };
    for (let step = 0; step < STEPS; step++) {
      const { name, act } = random.pick(actions);
      const said = `step ${step}, ${name}`;
      const receipt = await attempt(() => act(random, ledger), said);
      if (receipt !== undefined) {
        ledger.succeeded.set(name, (ledger.succeeded.get(name) ?? 0) + 1);
        record(receipt, ledger);
      }
      await checkMoney(ledger, said);
      await checkStake(said);
    }
    console.log([...ledger.succeeded].map(([name, count]) => `${name} ${count}`).join(", "));
    expect(ledger.succeeded.get("post"), "posts").to.be.greaterThan(0);
    expect(ledger.succeeded.get("settle"), "settlements").to.be.greaterThan(0);
    expect(ledger.succeeded.get("demand"), "demands").to.be.greaterThan(0);
    await leaveByTimeAlone(ledger);
  });

  type Act = (random: Random, ledger: Ledger) => Promise<TransactionReceipt>;

  /** The payouts, and the one keeper that is bonded. */
  const earners = () => [...nodes.map(({ payout }) => payout), world.actors.deployer];
  const anyone = (random: Random) => random.pick([...payers, world.actors.keeper, world.actors.stranger]);
  const aTask = (random: Random, { tasks }: Ledger, wanted: { assigned?: boolean } = {}): KnownTask => {
    const fitting = [...tasks.values()].filter(
      ({ ends, assigned }) => ends === 0 && assigned === (wanted.assigned ?? assigned),
    );
    // Now and then one in another state, or one that has ended, so that replays are tried too.
    return random.pick(fitting.length > 0 && random.below(8) !== 0 ? fitting : [...tasks.values()]);
  };
  const seatOf = async (random: Random, taskId: Hex) => {
    const { assignment } = await readTask(world, taskId);
    const { standing } = await wordsOf(world, taskId);
    const seated = nodes.filter(({ nodeId }) => standing.seats.some((seat) => seat.nodeId === nodeId));
    const node = random.pick(seated.length > 0 && random.below(8) !== 0 ? seated : nodes);
    return { node, assignment };
  };
  const stakeAct = (functionName: "beginExit" | "stake"): Act => (random) => {
    const amount = BigInt(1 + random.below(random.below(8) === 0 ? 3_000 : 200)) * NGPU_WEI;
    return world.send(world.actors.owner, world.stakeVault, functionName, [random.pick(nodes).nodeId, amount]);
  };

  const post: Act = async (random) => {
    const change = {
      clientNonce: random.bytes(32),
      // One in eight may be too large for the smaller nodes.
      workCums: BigInt(1 + random.below(random.below(8) === 0 ? 3_000_000_000 : 150_000_000)),
      deadline: (await world.now()) + 5 + random.below(700),
      backups: random.below(3),
    };
    return world.send(random.pick(payers), world.escrow, "post", [await aPost(world, change), noPermit]);
  };
  const assign: Act = (random, ledger) => {
    const { taskId, backups } = aTask(random, ledger, random.below(3) === 0 ? {} : { assigned: false });
    const first = random.below(nodes.length);
    const order = nodes.map((_, index) => nodes[(first + index) % nodes.length]).filter((node) => node !== undefined);
    // Now and then one node too few.
    const seats = order.slice(0, 1 + backups - (random.below(8) === 0 ? 1 : 0));
    const from = random.below(3) === 0 ? anyone(random) : world.actors.keeper;
    return assignTask(world, taskId, { from, nodes: seats });
  };
  const accept: Act = async (random, ledger) => {
    const { taskId } = aTask(random, ledger, { assigned: true });
    const { node, assignment } = await seatOf(random, taskId);
    return acceptTask(world, taskId, node, { change: { assignment } });
  };
  const settle: Act = async (random, ledger) => {
    const { taskId } = aTask(random, ledger, { assigned: true });
    const { node, assignment } = await seatOf(random, taskId);
    const { terms } = await wordsOf(world, taskId);
    const durationMs = Number((terms.workCums * BigInt(random.below(130))) / 100n / BigInt(node.powerCu));
    const status = random.below(3) === 0 ? 1 + random.below(4) : 0;
    return settleTask(world, taskId, node, { change: { assignment, durationMs, status, attempt: random.below(3) } });
  };

  /** Any act of a demand, of a task that a demand may be about or of any. */
  const demandAct =
    (act: Parameters<typeof onDemand>[1], pending: boolean): Act =>
    (random, ledger) => {
      const all = [...ledger.tasks.values()];
      const fitting = all.filter(({ billUsd6, pendingUsd6 }) => (pending ? pendingUsd6 !== 0n : billUsd6 !== 0n));
      const { taskId, payer } = random.pick(fitting.length > 0 && random.below(8) !== 0 ? fitting.slice(-3) : all);
      const usual = act === "attestOutput" ? world.actors.deployer : payer;
      const from = random.below(4) === 0 ? anyone(random) : usual;
      return onDemand(world, act, taskId, { from });
    };

  const actions: readonly { name: string; act: Act }[] = [
    { name: "post", act: post },
    { name: "post", act: post },
    { name: "assign", act: assign },
    { name: "assign", act: assign },
    { name: "accept", act: accept },
    { name: "accept", act: accept },
    { name: "settle", act: settle },
    { name: "settle", act: settle },
    { name: "demand", act: demandAct("demandOutput", false) },
    { name: "demand", act: demandAct("demandOutput", false) },
    { name: "attest", act: demandAct("attestOutput", true) },
    { name: "closeDemand", act: demandAct("closeDemand", true) },
    {
      name: "cancel",
      act: async (random, ledger) => {
        const { taskId, payer } = aTask(random, ledger, { assigned: false });
        const { terms } = await wordsOf(world, taskId);
        return world.send(random.pick([payer, anyone(random)]), world.escrow, "cancel", [taskId, terms]);
      },
    },
    { name: "expire", act: (random, ledger) => expireTask(world, aTask(random, ledger).taskId) },
    {
      name: "deposit",
      act: (random) => {
        const amount = BigInt(random.below(90_000));
        return world.send(random.pick(payers), world.paymentVault, "deposit", [random.pick(payers), amount]);
      },
    },
    {
      name: "withdraw",
      act: (random) =>
        world.send(anyone(random), world.paymentVault, "withdraw", [random.pick(payers), BigInt(random.below(90_000))]),
    },
    {
      name: "payCredit",
      act: (random) => world.send(anyone(random), world.paymentVault, "payCredit", [random.pick(earners())]),
    },
    {
      name: "donate",
      act: async (random, ledger) => {
        const amount = BigInt(random.below(1_000));
        const transfer = [world.paymentVault.address, amount] as const;
        const receipt = await world.send(random.pick(payers), world.usd, "transfer", transfer);
        ledger.donatedUsd6 += amount;
        return receipt;
      },
    },
    { name: "stake", act: stakeAct("stake") },
    { name: "beginExit", act: stakeAct("beginExit") },
    {
      name: "cancelExit",
      act: (random) => world.send(world.actors.owner, world.stakeVault, "cancelExit", [random.pick(nodes).nodeId]),
    },
    {
      name: "withdrawStake",
      act: (random) => world.send(anyone(random), world.stakeVault, "withdraw", [random.pick(nodes).nodeId]),
    },
    {
      name: "time",
      act: async (random) => {
        await world.increase(1 + random.below(random.below(8) === 0 ? 1_200 : 40));
        return world.send(world.actors.deployer, world.feed, "push", [BigInt(10_000_000 + random.below(90_000_000))]);
      },
    },
  ];

  /** The receipt; undefined if a contract refused for a stated reason, or there was nothing to act on yet. */
  async function attempt(act: () => Promise<TransactionReceipt>, said: string) {
    try {
      return await act();
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      const { name } = await revertOf(Promise.reject(error));
      expect(["Panic", "Error"], `${said}: ${name}`).to.not.include(name);
      return undefined;
    }
  }

  function record(receipt: TransactionReceipt, ledger: Ledger): void {
    for (const { taskId, payer, maxAmountUsd6, backups } of eventsOf(receipt, world.escrow, "TaskPosted")) {
      const none = { billUsd6: 0n, pendingUsd6: 0n, demands: 0 };
      ledger.tasks.set(taskId, { taskId, payer, maxAmountUsd6, backups, assigned: false, ends: 0, ...none });
    }
    for (const { taskId } of eventsOf(receipt, world.escrow, "TaskAssigned")) {
      const task = ledger.tasks.get(taskId);
      if (task !== undefined) task.assigned = true;
    }
    for (const eventName of ["TaskSettled", "TaskRefunded", "TaskCancelled"] as const) {
      for (const { taskId } of eventsOf(receipt, world.escrow, eventName)) {
        const task = ledger.tasks.get(taskId);
        if (task !== undefined) task.ends += 1;
      }
    }
    for (const { amountUsd6, standbyUsd6, refundUsd6, taskId } of eventsOf(receipt, world.escrow, "TaskSettled")) {
      ledger.creditedUsd6 += amountUsd6 + standbyUsd6;
      const task = ledger.tasks.get(taskId);
      if (task !== undefined) task.billUsd6 = amountUsd6;
      expect(amountUsd6 + standbyUsd6 + refundUsd6).to.equal(task?.maxAmountUsd6);
      const paid = eventsOf(receipt, world.escrow, "TaskStandbyPaid").reduce((sum, paid) => sum + paid.amountUsd6, 0n);
      expect(paid, "standby in the events of its own").to.equal(standbyUsd6);
    }
    for (const { taskId, amountUsd6, bondUsd6 } of eventsOf(receipt, world.escrow, "OutputDemanded")) {
      const task = ledger.tasks.get(taskId);
      if (task === undefined) continue;
      task.demands += 1;
      task.pendingUsd6 = amountUsd6 + bondUsd6;
      ledger.creditedUsd6 -= amountUsd6;
    }
    for (const eventName of ["OutputDelivered", "OutputForfeited"] as const) {
      for (const { taskId } of eventsOf(receipt, world.escrow, eventName)) {
        const task = ledger.tasks.get(taskId);
        if (task === undefined) continue;
        if (eventName === "OutputDelivered") ledger.creditedUsd6 += task.pendingUsd6;
        [task.pendingUsd6, task.billUsd6] = [0n, 0n];
      }
    }
    for (const { amountUsd6 } of eventsOf(receipt, world.paymentVault, "CreditPaid")) {
      ledger.creditPaidUsd6 += amountUsd6;
    }
  }

  async function checkMoney(ledger: Ledger, said: string): Promise<void> {
    let liabilities = 0n;
    let credits = 0n;
    for (const account of [...payers, ...earners()]) {
      const { availableUsd6, reservedUsd6, creditUsd6 } = await moneyOf(world, account);
      liabilities += availableUsd6 + reservedUsd6 + creditUsd6;
      credits += creditUsd6;
      const open = [...ledger.tasks.values()].filter(({ payer, ends }) => payer === account && ends === 0);
      const escrowed = open.reduce((sum, { maxAmountUsd6 }) => sum + maxAmountUsd6, 0n);
      expect(reservedUsd6, `${said}: what ${account} has reserved is what its open tasks escrow`).to.equal(escrowed);
    }
    const pot = await world.publicClient.readContract({
      ...world.paymentVault,
      functionName: "heldBy",
      args: [world.escrow.address],
    });
    const pending = [...ledger.tasks.values()].reduce((sum, { pendingUsd6 }) => sum + pendingUsd6, 0n);
    expect(pot, `${said}: the pot is what open demands are about`).to.equal(pending);
    expect(await vaultBalance(world), `${said}: INV-1`).to.equal(liabilities + pot + ledger.donatedUsd6);
    expect(credits, `${said}: every credit is earned`).to.equal(ledger.creditedUsd6 - ledger.creditPaidUsd6);
    for (const { taskId, ends, demands } of ledger.tasks.values()) {
      expect(ends, `${said}: INV-13 ${taskId}`).to.be.lessThan(2);
      expect(demands, `${said}: INV-13, demands of ${taskId}`).to.be.lessThan(2);
    }
  }

  async function checkStake(said: string): Promise<void> {
    let staked = 0n;
    for (const { nodeId } of nodes) {
      const read = { ...world.stakeVault, functionName: "stakeOf", args: [nodeId] } as const;
      const stake = await world.publicClient.readContract(read);
      expect(stake.thawingWei <= stake.stakedWei, `${said}: INV-4 of node ${nodeId}`).to.equal(true);
      staked += stake.stakedWei;
    }
    expect(await stakeVaultBalance(), `${said}: INV-1 of stake`).to.equal(staked);
  }

  function stakeVaultBalance(): Promise<bigint> {
    const args = [world.stakeVault.address] as const;
    return world.publicClient.readContract({ ...world.ngpu, functionName: "balanceOf", args });
  }

  /** INV-8: no keeper acts any more; strangers expire what is open, and every account empties. */
  async function leaveByTimeAlone(ledger: Ledger): Promise<void> {
    const { stranger, owner } = world.actors;
    await world.increase(limits.maxDeadlineS + limits.settleGraceS);
    for (const task of ledger.tasks.values()) {
      if (task.ends !== 0) continue;
      record(await expireTask(world, task.taskId), ledger);
      expect(task.ends, `INV-8 ${task.taskId}`).to.equal(1);
    }
    for (const task of ledger.tasks.values()) {
      if (task.pendingUsd6 === 0n) continue;
      record(await onDemand(world, "closeDemand", task.taskId, { from: stranger }), ledger);
      expect(task.pendingUsd6, `INV-8, the demand of ${task.taskId}`).to.equal(0n);
    }
    for (const payer of payers) {
      const { availableUsd6 } = await moneyOf(world, payer);
      if (availableUsd6 !== 0n) await world.send(payer, world.paymentVault, "withdraw", [payer, availableUsd6]);
    }
    for (const earner of earners()) {
      const { creditUsd6 } = await moneyOf(world, earner);
      if (creditUsd6 !== 0n) record(await world.send(stranger, world.paymentVault, "payCredit", [earner]), ledger);
    }
    expect(await vaultBalance(world), "only donations stay").to.equal(ledger.donatedUsd6);
    expect(ledger.creditPaidUsd6, "all that was earned was paid").to.equal(ledger.creditedUsd6);
    for (const { nodeId } of nodes) await drainStake(nodeId, owner);
    expect(await stakeVaultBalance(), "all stake has left").to.equal(0n);
  }

  async function drainStake(nodeId: number, owner: Address): Promise<void> {
    const read = { ...world.stakeVault, functionName: "stakeOf", args: [nodeId] } as const;
    for (;;) {
      const { stakedWei, thawingWei } = await world.publicClient.readContract(read);
      if (stakedWei === 0n) return;
      if (thawingWei === 0n) await world.send(owner, world.stakeVault, "beginExit", [nodeId, stakedWei]);
      await world.increase(300);
      await world.send(world.actors.stranger, world.stakeVault, "withdraw", [nodeId]);
    }
  }
});

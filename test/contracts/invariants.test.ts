/**
 * Random payers, nodes, keepers and strangers act in any order and at any time; after every act the invariants that
 * bear on money hold, and at the end everything leaves by time alone. SEED=… repeats a run, STEPS=… makes it longer.
 *
 * INV-1   the vault's tokens are its liabilities (plus what was donated)
 * INV-4   thawing ≤ stake, and the stake vault's tokens are the nodes' stake
 * INV-8   every task ends and every token leaves with no keeper
 * INV-13  a task ends, and is paid, at most once
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
import { acceptTask, aPost, readTask, settleTask } from "./support/tasks.ts";
import { createWorld, NGPU_WEI, type NodeKeys, type World } from "./support/world.ts";

const STEPS = Number(process.env.STEPS ?? 1_000);

interface KnownTask {
  readonly taskId: Hex;
  readonly payer: Address;
  readonly maxAmountUsd6: bigint;
  readonly backups: number;
  assigned: boolean;
  ends: number;
}

/** What the events alone say; the chain's state must agree with it. */
interface Ledger {
  readonly tasks: Map<Hex, KnownTask>;
  readonly succeeded: Map<string, number>;
  billedUsd6: bigint;
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
  });
  after(() => world.close());

  it("hold after every act of a random history, and everything leaves by time alone", async () => {
    const random = createRandom(seedFor("invariants"));
    const ledger: Ledger = {
      tasks: new Map(),
      succeeded: new Map(),
      billedUsd6: 0n,
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
    await leaveByTimeAlone(ledger);
  });

  type Act = (random: Random, ledger: Ledger) => Promise<TransactionReceipt>;

  const anyone = (random: Random) => random.pick([...payers, world.actors.keeper, world.actors.stranger]);
  const aTask = (random: Random, { tasks }: Ledger, wanted: { assigned?: boolean } = {}): KnownTask => {
    const fitting = [...tasks.values()].filter(
      ({ ends, assigned }) => ends === 0 && assigned === (wanted.assigned ?? assigned),
    );
    // Now and then one in another state, or one that has ended, so that replays are tried too.
    return random.pick(fitting.length > 0 && random.below(8) !== 0 ? fitting : [...tasks.values()]);
  };
  const seatOf = async (random: Random, taskId: Hex) => {
    const { primary, backup, assignment } = await readTask(world, taskId);
    const seated = nodes.filter(({ nodeId }) => nodeId === primary || nodeId === backup);
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
      backups: random.below(2),
    };
    return world.send(random.pick(payers), world.escrow, "post", [await aPost(world, change), noPermit]);
  };
  const assign: Act = (random, ledger) => {
    const { taskId, backups } = aTask(random, ledger, random.below(3) === 0 ? {} : { assigned: false });
    const primary = random.pick(nodes).nodeId;
    const backup = backups === 0 ? 0 : random.pick(nodes).nodeId;
    const from = random.below(3) === 0 ? anyone(random) : world.actors.keeper;
    return world.send(from, world.escrow, "assign", [taskId, primary, backup]);
  };
  const accept: Act = async (random, ledger) => {
    const { taskId } = aTask(random, ledger, { assigned: true });
    const { node, assignment } = await seatOf(random, taskId);
    return acceptTask(world, taskId, node, { change: { assignment } });
  };
  const settle: Act = async (random, ledger) => {
    const { taskId } = aTask(random, ledger, { assigned: true });
    const { node, assignment } = await seatOf(random, taskId);
    const { workCums } = await readTask(world, taskId);
    const durationMs = Number((workCums * BigInt(random.below(130))) / 100n / BigInt(node.powerCu));
    const status = random.below(3) === 0 ? 1 + random.below(4) : 0;
    return settleTask(world, taskId, node, { change: { assignment, durationMs, status, attempt: random.below(3) } });
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
    {
      name: "cancel",
      act: (random, ledger) => {
        const { taskId, payer } = aTask(random, ledger, { assigned: false });
        return world.send(random.pick([payer, anyone(random)]), world.escrow, "cancel", [taskId]);
      },
    },
    {
      name: "expire",
      act: (random, ledger) => world.send(anyone(random), world.escrow, "expire", [aTask(random, ledger).taskId]),
    },
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
      act: (random) => world.send(anyone(random), world.paymentVault, "payCredit", [random.pick(nodes).payout]),
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
      ledger.tasks.set(taskId, { taskId, payer, maxAmountUsd6, backups, assigned: false, ends: 0 });
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
    for (const { amountUsd6, refundUsd6, taskId } of eventsOf(receipt, world.escrow, "TaskSettled")) {
      ledger.billedUsd6 += amountUsd6;
      expect(amountUsd6 + refundUsd6).to.equal(ledger.tasks.get(taskId)?.maxAmountUsd6);
    }
    for (const { amountUsd6 } of eventsOf(receipt, world.paymentVault, "CreditPaid")) {
      ledger.creditPaidUsd6 += amountUsd6;
    }
  }

  async function checkMoney(ledger: Ledger, said: string): Promise<void> {
    let liabilities = 0n;
    let credits = 0n;
    for (const account of [...payers, ...nodes.map(({ payout }) => payout)]) {
      const { availableUsd6, reservedUsd6, creditUsd6 } = await moneyOf(world, account);
      liabilities += availableUsd6 + reservedUsd6 + creditUsd6;
      credits += creditUsd6;
      const open = [...ledger.tasks.values()].filter(({ payer, ends }) => payer === account && ends === 0);
      const escrowed = open.reduce((sum, { maxAmountUsd6 }) => sum + maxAmountUsd6, 0n);
      expect(reservedUsd6, `${said}: what ${account} has reserved is what its open tasks escrow`).to.equal(escrowed);
    }
    expect(await vaultBalance(world), `${said}: INV-1`).to.equal(liabilities + ledger.donatedUsd6);
    expect(credits, `${said}: every credit is a bill`).to.equal(ledger.billedUsd6 - ledger.creditPaidUsd6);
    for (const { taskId, ends } of ledger.tasks.values()) expect(ends, `${said}: INV-13 ${taskId}`).to.be.lessThan(2);
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
      record(await world.send(stranger, world.escrow, "expire", [task.taskId]), ledger);
      expect(task.ends, `INV-8 ${task.taskId}`).to.equal(1);
    }
    for (const payer of payers) {
      const { availableUsd6 } = await moneyOf(world, payer);
      if (availableUsd6 !== 0n) await world.send(payer, world.paymentVault, "withdraw", [payer, availableUsd6]);
    }
    for (const { payout } of nodes) {
      const { creditUsd6 } = await moneyOf(world, payout);
      if (creditUsd6 !== 0n) record(await world.send(stranger, world.paymentVault, "payCredit", [payout]), ledger);
    }
    expect(await vaultBalance(world), "only donations stay").to.equal(ledger.donatedUsd6);
    const earned = await Promise.all(nodes.map(({ payout }) => moneyOf(world, payout)));
    expect(earned.reduce((sum, { walletUsd6 }) => sum + walletUsd6, 0n)).to.equal(ledger.billedUsd6);
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
